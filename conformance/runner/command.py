# SPDX-License-Identifier: Apache-2.0
"""How a command begins and ends: its command line, and its exit code with what it says of what went wrong."""
import argparse
import errno
import os
import signal
import sys
import threading
import traceback

from .failure import INTERNAL, INTERRUPTED, OUTPUT, USAGE, Failure
from .html_page import clean

# Of an OSError that nobody caught where it arose: the place to write to is the person's, all else is ours.
_CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG)


# Seconds until an interrupt that was ignored comes again.
_AGAIN = 0.1


class Parser(argparse.ArgumentParser):
    """A command line. What is wrong with it is a Failure, as all else that a person can mend is."""

    def __init__(self, **named):
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **named)

    def error(self, message):
        raise Failure(USAGE, f"{message} (see --help)")

    def print_help(self, file=None):
        """Says so where it cannot be written, which argparse would not."""
        file = file or sys.stdout
        file.write(self.format_help())
        file.flush()

    def parse_with_command(self, arguments):
        """The options, with `command` for what follows `--`, which are no words of ours."""
        at = arguments.index("--") if "--" in arguments else len(arguments)
        options = self.parse_args(arguments[:at])
        options.command = arguments[at + 1:]
        return options


def positive(convert):
    """For `type`: a number of that kind, more than 0."""
    def read(text):
        value = convert(text)
        if not 0 < value < 1e9:
            expected = "less than 1,000,000,000" if value > 0 else "more than 0"
            raise argparse.ArgumentTypeError(f"{expected} expected, found {text}")
        return value

    read.__name__ = "number"
    return read


def run(name, body, interrupted="interrupted"):
    """The exit code of the command of that name: what body() returns, or what stands for how it ended. SIGTERM is as
    Ctrl-C, so that what a command has started ends with it."""
    for ending in ("SIGTERM", "SIGBREAK"):  # the latter is Windows' own
        if hasattr(signal, ending):
            signal.signal(getattr(signal, ending), _interrupt)
    sys.unraisablehook = _not_lost
    try:
        if sys.stdout is None:
            raise Failure(OUTPUT, "standard output is closed")
        code = body()
        sys.stdout.flush()
        return code
    except Failure as failure:
        complain(name, failure)
        return failure.code
    except KeyboardInterrupt:
        complain(name, interrupted)
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  (what no one foresaw is a bug of ours, and says so)
        if _reader_is_gone(error):
            return OUTPUT
        if isinstance(error, OSError) and error.errno in _CANNOT_WRITE:
            complain(name, f"{error.filename or 'a file'}: {error.strerror}")
            return OUTPUT
        traceback.print_exc()
        complain(name, "an error of this program itself")
        return INTERNAL
    finally:
        _let_go_of_stdout()


def _let_go_of_stdout():
    """Python would try once more to write what could not be written, and exit with a code of its own."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reader_is_gone(error):
    """One that has seen enough, as head and more do, is no news. Windows says that the argument is not valid."""
    return isinstance(error, BrokenPipeError) or (
        sys.platform == "win32" and isinstance(error, OSError) and (error.errno, error.filename) == (errno.EINVAL, None))


def _interrupt(_number, _frame):
    raise KeyboardInterrupt


def _not_lost(ignored):
    """An interrupt may come where Python ignores exceptions, such as in what it calls after a fork. It comes again then:
    who asks once for an end means it."""
    if ignored.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(ignored)
        return
    again = threading.Timer(_AGAIN, _interrupt_main)
    again.daemon = True
    again.start()


def _interrupt_main():
    """Ends a wait of the main thread too, where signals can be sent to one."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)
    else:
        signal.raise_signal(signal.SIGTERM)


def complain(name, text):
    """A line for the person at the terminal. What a parser said may be in it."""
    print(clean(f"{name}: {text}", "\n\t"), file=sys.stderr)
