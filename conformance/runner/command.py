# SPDX-License-Identifier: Apache-2.0
"""What all commands share: parsing the command line, and turning every way to end into an exit status and a message."""
import argparse
import errno
import os
import signal
import sys
import threading
import traceback

from .failure import INTERNAL, INTERRUPTED, OUTPUT, USAGE, Failure
from .html_page import clean

# An uncaught OSError with one of these is about the place to write to; any other is a bug of the command.
_CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG)


# Seconds until an ignored interrupt is sent again.
_AGAIN = 0.1


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are Failures."""

    def __init__(self, **named):
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **named)

    def error(self, message):
        raise Failure(USAGE, f"{message} (see --help)")

    def print_help(self, file=None):
        """Raises OSError if standard output cannot be written; argparse ignores that."""
        file = file or sys.stdout
        file.write(self.format_help())
        file.flush()

    def parse_with_command(self, arguments):
        """The options; `command` holds the words after `--`, which are not parsed."""
        at = arguments.index("--") if "--" in arguments else len(arguments)
        options = self.parse_args(arguments[:at])
        options.command = arguments[at + 1:]
        return options


def positive(convert):
    """A `type` for add_argument: a number of that kind, greater than 0."""
    def read(text):
        value = convert(text)
        if not 0 < value < 1e9:
            expected = "less than 1,000,000,000" if value > 0 else "more than 0"
            raise argparse.ArgumentTypeError(f"{expected} expected, found {text}")
        return value

    read.__name__ = "number"
    return read


def run(name, body, interrupted="interrupted"):
    """Runs body() as the command of that name. Returns its result, or the exit status for the way in which it ended.
    SIGTERM acts like Ctrl-C, so that the processes which the command has started end too."""
    for ending in ("SIGTERM", "SIGBREAK"):  # the latter exists on Windows only
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
    except Exception as error:  # noqa: BLE001  (an unforeseen exception is a bug; report it as one)
        if _reader_is_gone(error):
            return OUTPUT
        if isinstance(error, OSError) and error.errno in _CANNOT_WRITE:
            complain(name, f"{error.filename or 'a file'}: {error.strerror}")
            return OUTPUT
        traceback.print_exc()
        complain(name, "internal error: a bug of this program")
        return INTERNAL
    finally:
        _let_go_of_stdout()


def _let_go_of_stdout():
    """Flushes standard output. If that fails, points it at /dev/null, or Python would try again and exit with its own
    status."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reader_is_gone(error):
    """A reader such as head that closed the pipe is no error. Windows reports it as an invalid argument."""
    return isinstance(error, BrokenPipeError) or (
        sys.platform == "win32" and isinstance(error, OSError) and (error.errno, error.filename) == (errno.EINVAL, None))


def _interrupt(_number, _frame):
    raise KeyboardInterrupt


def _not_lost(ignored):
    """Sends an interrupt again that came where Python ignores exceptions, such as in its hooks after a fork."""
    if ignored.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(ignored)
        return
    again = threading.Timer(_AGAIN, _interrupt_main)
    again.daemon = True
    again.start()


def _interrupt_main():
    """Interrupts the main thread, even while it waits if the system can send a signal to a thread."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)
    else:
        signal.raise_signal(signal.SIGTERM)


def print_text(text):
    """Prints text that may come from a parser or a file: escapes what the terminal cannot encode, or would act on."""
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.stdout.write(clean(text, "\n\t"))


def complain(name, text):
    """Prints a message on standard error. It may hold text of a parser, which is escaped."""
    print(clean(f"{name}: {text}", "\n\t"), file=sys.stderr)
