# SPDX-License-Identifier: Apache-2.0
"""Failure, the error that ends a command with a message and an exit status; and reading files that may not be there."""

PASSED, FAILED, USAGE, INPUT, INTERNAL, OUTPUT, INTERRUPTED = 0, 1, 64, 66, 70, 74, 130


class Failure(Exception):
    """A message for the person who typed the command, and the exit status."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code

    def __reduce__(self):
        """Lets the exception cross from one process to another."""
        return Failure, (self.code, str(self))


class Writing:
    """A context in which OSError becomes a Failure that names the file."""

    def __init__(self, path):
        self._path = path

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, OSError):
            raise Failure(OUTPUT, f"{self._path}: cannot write: {error.strerror}") from error


def shown(path):
    """A path as text that can be printed: a file name need not be UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode()


def read_bytes(path):
    """The content of a file. Raises Failure if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Failure(INPUT, f"{path}: cannot read: {error.strerror}") from error


def read_text(path, what):
    """The lines of a small text file that a person wrote, without the byte order mark that Windows editors put first."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read().split("\n")
    except OSError as error:
        raise Failure(INPUT, f"{path}: cannot read {what}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Failure(INPUT, f"{path}: {what} is not UTF-8: {error}") from error
