# SPDX-License-Identifier: Apache-2.0
"""One run on a state folder at a time. The kernel lifts the lock of one that is gone, however it ended."""
import fcntl
import os

from .state import now
from runner.failure import INPUT, OUTPUT, Failure


def take(folder):
    """The open file that holds the lock; raises if another run has it."""
    path = os.path.join(folder, "lock")
    try:
        file = open(path, "a+", encoding="utf-8")
    except OSError as error:
        raise Failure(OUTPUT, f"{path}: cannot write: {error.strerror}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        raise Failure(INPUT, f"{folder}: in use by another run, {file.read().strip() or 'which has just begun'}: wait for "
                             "its end, or take another --state") from None
    file.truncate(0)
    file.write(f"process {os.getpid()} since {now()}\n")
    file.flush()
    return file
