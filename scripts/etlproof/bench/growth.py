# SPDX-License-Identifier: Apache-2.0
"""usage: python3 -m etlproof.bench.growth ETLPROOF [MIB]

Measures how the time of the command grows with files that are built to be slow (decoder/tests/slow_shapes.py): its
processor time for 1, 4, 16 and MIB (default: 64) MiB, the least of three runs. The exponent is the slope of a line through
the logarithms from 4 MiB on: 1 is linear, 2 quadratic. Below, the file fits the processor's cache, and starting the command
takes most of the time.

Exits 1 if an exponent is above 1.1. Needs decoder/tests on PYTHONPATH; scripts/bench sets it.
"""
import math
import os
import subprocess
import sys
import tempfile

from slow_shapes import BOMBS, SHAPES

ALL = {**SHAPES, **BOMBS}
MIB = 1 << 20
MOST = 1.1
RUNS = 3
SHORTEST = 1e-4  # seconds that can be measured
COMMANDS = {
    "validate": ["validate", "--quiet"],
    "decode": ["decode"],
    "by time": ["decode", "--order", "time"],
    "map": ["map"],
    "recover": ["recover", "--force", "-o", "new.etl"],
}


def run(command, folder):
    """Seconds of processor time."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if not 0 <= process.returncode <= 3:
        raise RuntimeError(f"{' '.join(command)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def exponent(sizes, times):
    x, y = [math.log(size) for size in sizes[1:]], [math.log(time) for time in times[1:]]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


def measure(tool, name, sizes, folder):
    """The exponent of each command. Prints a row for each."""
    paths = []
    for size in sizes:
        paths.append(os.path.join(folder, f"{size}.etl"))
        with open(paths[-1], "wb") as file:
            file.write(ALL[name](size * MIB))
    exponents = []
    for said, arguments in COMMANDS.items():
        times = [max(min(run([tool, *arguments, path], folder) for _ in range(RUNS)), SHORTEST) for path in paths]
        exponents.append(exponent(sizes, times))
        print(f"{name:38} {said:9} {exponents[-1]:8.2f} {times[0]:9.3f} {times[-1]:9.3f}", flush=True)
    return exponents


def main(tool, largest=64):
    sizes = [size for size in (1, 4, 16) if size < largest] + [largest]
    print(f"{'files of 1 to %d MiB' % largest:38} {'command':9} {'exponent':>8} {'s at 1':>9} {'s at %d' % largest:>9}")
    with tempfile.TemporaryDirectory() as folder:
        worst = max(max(measure(os.path.abspath(tool), name, sizes, folder)) for name in ALL)
    print(f"the largest exponent is {worst:.2f}")
    return 0 if worst <= MOST else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
