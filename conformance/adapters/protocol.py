# SPDX-License-Identifier: Apache-2.0
"""What every adapter in Python needs: both ways of being asked, and the spelling of decode records.

An adapter says what it can report and gives a function parse(path, emit), which hands over decode
records one by one and raises Rejected when the parser refuses the file. With a file as argument the
adapter answers once; without arguments it stays and speaks JSON Lines, so that a parser that is slow to
import is imported once.
"""
import datetime
import importlib
import importlib.metadata
import json
import os
import sys
import traceback

EXIT_REJECT = 1
EXIT_USAGE = 64
EXIT_UNREADABLE = 66
EXIT_CRASH = 70

PROTOCOL_VERSION = 1
FILETIME_EPOCH = datetime.datetime(1601, 1, 1)


class Rejected(Exception):
    """The parser said, in its own documented way, that it does not take the file."""


def import_parser(variable, module, what):
    """Imports a parser from the folders that an environment variable names, or as it is installed."""
    for folder in reversed(os.environ.get(variable, "").split(os.pathsep)):
        if folder:
            sys.path.insert(0, folder)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{sys.argv[0]}: {what} is not here ({error}); {variable} names the folders to "
                         f"import it from, now {os.environ.get(variable, 'not set')!r}\n")
        sys.exit(EXIT_UNREADABLE)


def version_of(distribution):
    """The version of an installed parser; a checkout that is only on the path does not say."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def hexadecimal(value, digits=1):
    return f"0x{value:0{digits}x}"


def utc(filetime):
    """A FILETIME as text, or None where the calendar ends."""
    seconds, ticks = divmod(filetime, 10_000_000)
    try:
        time = FILETIME_EPOCH + datetime.timedelta(seconds=seconds)
    except OverflowError:
        return None
    return f"{time.isoformat(timespec='seconds')}.{ticks:07d}Z"


def record(kind, **fields):
    """A decode record; a field that is None is one the header has not."""
    return {"rec": kind} | {name: value for name, value in fields.items() if value is not None}


def _write(answer):
    sys.stdout.write(json.dumps(answer, separators=(",", ":")) + "\n")


def _answer_once(path, parse):
    verdict = 0
    try:
        parse(path, _write)
    except Rejected as error:
        sys.stderr.write(f"rejected: {error}\n")
        verdict = EXIT_REJECT
    return verdict


def _answer_run(request, parse):
    records = []
    answer = {"id": request["id"], "records": records, "verdict": "accept"}
    try:
        parse(request["file"], records.append)
    except Rejected as error:
        sys.stderr.write(f"rejected: {error}\n")
        answer["verdict"] = "reject"
    except OSError as error:
        return {"id": request["id"], "error": str(error)}
    return answer


def _serve(description, parse):
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "stop":
            break
        if request["cmd"] == "start":
            _write(description | {"ready": request["version"] == PROTOCOL_VERSION})
        else:
            _write(_answer_run(request, parse))
        sys.stdout.flush()
    return 0


def _run(description, parse):
    if len(sys.argv) == 1:
        return _serve(description, parse)
    if len(sys.argv) > 2:
        sys.stderr.write(f"usage: {sys.argv[0]} [--describe | FILE]\n")
        return EXIT_USAGE
    if sys.argv[1] == "--describe":
        _write(description)
        return 0
    return _answer_once(sys.argv[1], parse)


def main(description, parse):
    """Runs the adapter and ends the process.

    Python ends with 1 after an exception that nobody caught, and 1 means that a file was rejected. So an
    exception of the parser that is no refusal ends the process with a status of its own: a crash.
    """
    try:
        status = _run(description, parse)
    except OSError as error:
        sys.stderr.write(f"{sys.argv[0]}: {error}\n")
        status = EXIT_UNREADABLE
    except Exception:
        traceback.print_exc()
        status = EXIT_CRASH
    sys.stdout.flush()
    sys.exit(status)
