# SPDX-License-Identifier: Apache-2.0
"""A parser that attacks the runner when it reads the vector whose text starts with ATTACKED. It then reports the events of
that vector rightly, as it does of any other. Arguments: ATTACK, FOLDER, then FILE, --describe, or nothing for a long-lived
parser.

FOLDER has what an attack aims at: golden/, report/ and the file `other`. The second word of a vector is its number of
events. Exit status 9: an attack has reached what it must not reach."""
import glob
import json
import os
import signal
import socket
import sys
import time

ATTACK, FOLDER = sys.argv[1:3]
ATTACKED = b"attacked"
REACHED = 9
LONG = 60  # seconds
MEBIBYTE = b"x" * (1 << 20)
DESCRIPTION = {"name": "hostile", "version": "1", "records": {"event": ["offset"]}, "verdict": False}


def allowed(action, *arguments):
    """Whether the system allows the action."""
    try:
        action(*arguments)
    except OSError:
        return False
    return True


def scratch():
    return os.environ.get("TMPDIR", "/tmp")


def targets(path):
    """Files that the runner needs as they are."""
    patterns = (os.path.join(os.path.dirname(path), "*"), f"{FOLDER}/golden/*/*", f"{FOLDER}/report/*", f"{FOLDER}/other")
    return [target for pattern in patterns for target in glob.glob(pattern)]


def fork_twice(_):
    """Leaves a process that has left its parent and session."""
    if os.fork():
        os.wait()
        return
    os.setsid()
    if not os.fork():
        time.sleep(LONG)
    os._exit(0)


def fork_forever(_):
    while True:
        try:
            if not os.fork():
                time.sleep(LONG)
                os._exit(0)
        except OSError:
            time.sleep(0.01)


def truncate(path):
    for target in targets(path):
        allowed(os.truncate, target, 3)


def delete(path):
    for target in targets(path):
        allowed(os.remove, target)


def cheat(path):
    found = [target for target in targets(path) if target.endswith((".jsonl", ".json", ".txt"))]
    if found or not os.path.basename(path).startswith("vector-"):
        os._exit(REACHED)


def parents():
    """The process that started this one, and the one that started that, unless it is the first of the system."""
    parent = os.getppid()
    with open(f"/proc/{parent}/stat", encoding="ascii", errors="replace") as file:
        above = int(file.read().rpartition(")")[2].split()[1])
    return [parent, *([above] if above > 1 else [])]


def kill_parents(_):
    for pid in parents():
        allowed(os.kill, pid, signal.SIGKILL)


def stop_parents(_):
    for pid in parents():
        allowed(os.kill, pid, signal.SIGSTOP)


def kill_all(_):
    with open("/proc/1/cmdline", "rb") as file:
        if b"launcher.py" not in file.read():
            os._exit(REACHED)  # in no sandbox: it would kill everything
    allowed(os.kill, -1, signal.SIGKILL)


def kill_group(_):
    os.killpg(0, signal.SIGKILL)


def trace_parent(_):
    """Opens the memory of the process that started this one, to change it."""
    if allowed(open, f"/proc/{os.getppid()}/mem", "r+b"):
        os._exit(REACHED)


def fill_disks(_):
    for folder in (scratch(), "/dev/shm", os.path.expanduser("~"), FOLDER):
        allowed(fill, os.path.join(folder, "etlproof-filler"))


def fill(path):
    with open(path, "wb") as file:
        for _ in range(400):
            file.write(MEBIBYTE)


def leave_files(_):
    """Leaves links to what must stay, and more folders, one in the other, than a program can remove by recursion."""
    for name in ("golden", "report", "other"):
        os.symlink(os.path.join(FOLDER, name), os.path.join(scratch(), name))
    os.chdir(scratch())
    for _ in range(1500):
        os.mkdir("deep")
        os.chdir("deep")


def take_memory(_):
    blocks = []
    while True:
        blocks.append(bytearray(MEBIBYTE * 8))


def connect(_):
    with open(os.path.join(FOLDER, "port"), encoding="ascii") as file:
        port = int(file.read())
    if allowed(socket.create_connection, ("127.0.0.1", port), 2):
        os._exit(REACHED)


def print_records(_):
    for _ in range(400):
        os.write(1, b'{"rec":"event"}\n' * 10_000)


def print_values(_):
    os.write(1, b'{"rec":"event","items":[' + b"[]," * 1_300_000 + b"[]]}\n")


def print_line(_):
    while True:
        os.write(1, MEBIBYTE)


def print_errors(_):
    while True:
        os.write(2, MEBIBYTE)


def ignore_signals(_):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(LONG)


def close_stdout(_):
    os.close(1)
    time.sleep(LONG)


ATTACKS = {function.__name__: function for function in (
    fork_twice, fork_forever, truncate, delete, cheat, kill_parents, stop_parents, kill_all, kill_group, trace_parent,
    fill_disks, leave_files, take_memory, connect, print_records, print_values, print_line, print_errors, ignore_signals,
    close_stdout)}


def read(path):
    """(whether the vector is the one to attack at, its records)"""
    with open(path, "rb") as file:
        name, count = file.read().split()[:2]
    if name == ATTACKED and ATTACK in ATTACKS:
        ATTACKS[ATTACK](path)
    return name == ATTACKED, [{"rec": "event", "offset": str(number)} for number in range(int(count))]


def remains():
    """Whether an earlier process has left files, or processes."""
    if any(os.path.lexists(os.path.join(scratch(), name)) for name in ("etlproof-filler", "golden", "deep")):
        return True
    commands = {path: command_line(path) for path in glob.glob("/proc/[0-9]*/cmdline")}
    commands.pop(f"/proc/{os.getpid()}/cmdline")
    return any(FOLDER.encode() in command and command.endswith(b".etl\0") for command in commands.values())


def command_line(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""  # it has just ended


def long_lived():
    for request in map(json.loads, sys.stdin):
        if request["cmd"] == "start":
            print(json.dumps({**DESCRIPTION, "ready": True}), flush=True)
        elif request["cmd"] == "run":
            is_attacked, records = read(request["file"])
            identifier = request["id"]
            if is_attacked and ATTACK == "next_id":
                identifier = f"vector-{int(identifier.rpartition('-')[2]) + 1:05}"
            print(json.dumps({"id": identifier, "verdict": "accept", "records": records}), flush=True)
        else:
            return


if sys.argv[3:] == ["--describe"]:
    print(json.dumps(DESCRIPTION))
elif sys.argv[3:]:
    if remains():
        sys.exit(REACHED)
    for record in read(sys.argv[3])[1]:
        print(json.dumps(record))
else:
    long_lived()
