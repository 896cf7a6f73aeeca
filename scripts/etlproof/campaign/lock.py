# SPDX-License-Identifier: Apache-2.0
"""Locks a state folder for one run at a time. The kernel releases the lock when the process ends, however it ends."""
import os
import time

from runner.failure import INPUT, OUTPUT, Failure

try:
    import fcntl
except ImportError:  # Windows has no such lock: do not start two runs on one folder there
    fcntl = None

ANOTHER_STATE = ", or take another --state"


def take(folder, otherwise=ANOTHER_STATE):
    """Returns the open file that holds the lock until it is closed. If another run has the lock, raises with advice."""
    path = os.path.join(folder, "lock")
    try:
        file = open(path, "a+", encoding="utf-8")
    except OSError as error:
        raise Failure(OUTPUT, f"{path}: cannot write: {error.strerror}") from error
    try:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        raise Failure(INPUT, f"{folder}: in use by another run, {file.read().strip() or 'which has just begun'}: wait for "
                             f"its end{otherwise}") from None
    file.truncate(0)
    file.write(f"process {os.getpid()} since {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}\n")
    file.flush()
    return file
