# SPDX-License-Identifier: Apache-2.0
"""What every adapter in Python shares: the runner's protocol, and helpers for the values of decode records.

An adapter has a description and a function parse(path, emit), which calls emit with each decode record and
raises Rejected when the parser rejects the file. With a file as argument the adapter decodes it and exits.
Without arguments it is long-lived and speaks JSON Lines, so that a slow parser is imported only once.

usage: protocol.py ADAPTER.py [--describe | FILE]
"""
import datetime
import importlib
import importlib.metadata
import json
import os
import runpy
import subprocess
import sys
import traceback

EXIT_REJECT = 1
EXIT_USAGE = 64
EXIT_UNREADABLE = 66
EXIT_CRASH = 70

PROTOCOL_VERSION = 1
FILETIME_EPOCH = datetime.datetime(1601, 1, 1)


class Rejected(Exception):
    """The parser rejected the file, in its documented way."""


def import_parser(variable, module, what):
    """Imports a parser from the folders in an environment variable, or an installed one."""
    for folder in reversed(os.environ.get(variable, "").split(os.pathsep)):
        if folder:
            sys.path.insert(0, folder)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{sys.argv[0]}: cannot import {what} ({error}); {variable} lists the folders to "
                         f"import it from, now {os.environ.get(variable, 'not set')!r}\n")
        sys.exit(EXIT_UNREADABLE)


def version_of(distribution, module):
    """The version of an installed parser, or the commit of the checkout that the module is from."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return _commit(os.path.dirname(module.__file__)) or "unknown"


def _commit(folder):
    """Short; empty if the folder is in no checkout, or git is missing."""
    try:
        return subprocess.run(["git", "-C", folder, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                              check=False).stdout.strip()
    except OSError:
        return ""


def hexadecimal(value, digits=1):
    return f"0x{value:0{digits}x}"


def utc(filetime):
    """A FILETIME as text, or None beyond the end of the calendar."""
    seconds, ticks = divmod(filetime, 10_000_000)
    try:
        time = FILETIME_EPOCH + datetime.timedelta(seconds=seconds)
    except OverflowError:
        return None
    return f"{time.isoformat(timespec='seconds')}.{ticks:07d}Z"


def record(kind, **fields):
    """A decode record without the fields that are None."""
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
        answer |= {"verdict": "reject", "reason": f"rejected: {error}"}
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

    Python exits with 1 after an uncaught exception, but 1 means that the file was rejected. Any exception of the
    parser other than Rejected therefore exits with EXIT_CRASH.
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


if __name__ == "__main__":
    # Runs an adapter, which finds this module because its folder is that of the running script.
    if len(sys.argv) < 2:
        sys.stderr.write(f"usage: {sys.argv[0]} ADAPTER.py [--describe | FILE]\n")
        sys.exit(EXIT_USAGE)
    runpy.run_path(sys.argv.pop(1), run_name="__main__")
