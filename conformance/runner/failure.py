# SPDX-License-Identifier: Apache-2.0
"""What ends a run before it has a result, and the exit codes."""

PASSED, FAILED, USAGE, INPUT, INTERNAL, OUTPUT, INTERRUPTED = 0, 1, 64, 66, 70, 74, 130


class Failure(Exception):
    """A message for the person who typed the command, and the exit code that goes with it."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code

    def __reduce__(self):
        """From process to process."""
        return Failure, (self.code, str(self))


class Writing:
    """Says which file could not be written."""

    def __init__(self, path):
        self._path = path

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, OSError):
            raise Failure(OUTPUT, f"{self._path}: cannot write: {error.strerror}") from error


def shown(path):
    """A path as text that can be written anywhere: names of files may be no UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode()


def read_bytes(path):
    """The content of a file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Failure(INPUT, f"{path}: cannot read: {error.strerror}") from error


def read_text(path, what):
    """The lines of a small text file that a person wrote; editors of Windows begin one with a mark."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read().split("\n")
    except OSError as error:
        raise Failure(INPUT, f"{path}: cannot read {what}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Failure(INPUT, f"{path}: {what} is not UTF-8: {error}") from error
