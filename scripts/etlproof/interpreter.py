# SPDX-License-Identifier: Apache-2.0
"""Which Python runs a command. scripts/bootstrap installs modules as packages of the system, for the system's Python; the
first python3 of the path may be another one, without them."""
import importlib.util
import os
import subprocess
import sys

SYSTEM = "/usr/bin/python3"


def prefer_one_with(module):
    """Restarts the command with the system's Python if that has the module and this Python does not."""
    if importlib.util.find_spec(module) is None and _has(SYSTEM, module):
        os.execv(SYSTEM, [SYSTEM, *sys.orig_argv[1:]])


def _has(python, module):
    if not os.access(python, os.X_OK) or os.path.realpath(python) == os.path.realpath(sys.executable):
        return False
    return subprocess.run([python, "-c", f"import {module}"], check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
