# SPDX-License-Identifier: Apache-2.0
"""Measures `etlproof layout --guess` and `--scan` on generated structures: every structure, version and architecture of the
tables, with each member filled as its type and name suggest, and noise around the structure.

Values and noise come from three sets: `tuned` was used to set the scores, the wrong guesses in `seen` were inspected, and
`held-out` is only measured. None of them is the memory of a real machine.

--guess counts a hit when the best layout is the right one, or equal to it byte for byte, or shares the first rank with it
because the members that differ are all zeros. It is measured with the offset given and without. --scan counts hits and
false positives in an image, and compares its time with reading the file (from the page cache, fastest of three runs).
The noise of the image repeats: pieces of 64 KiB from a few tiles of 1 MiB.
"""
import os
import tempfile

from etlproof import ROOT
from runner import command
from runner.command import Parser, positive
from runner.failure import FAILED, INPUT, PASSED, Failure, Writing
from . import guess_score, layout_export, memory_worlds, scan_score

NAME = "scripts/layout-bench"
WORLDS = {"tuned": memory_worlds.TUNED, "seen": memory_worlds.SEEN, "held-out": memory_worlds.HELD_OUT}
EPILOG = """\
exit status: 0 measured, 1 less than --floor, 64 wrong usage, 66 cannot read or run, 70 an internal error,
74 cannot write, 130 interrupted
"""


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    add = parser.add_argument
    add("--tool", metavar="PATH", default=os.path.join(ROOT, "build", "release", "bin", "etlproof"),
        help="the command (default: build/release/bin/etlproof)")
    add("--only", choices=["guess", "scan"], help="measure one of the two (default: both)")
    add("--world", choices=list(WORLDS), help="one set of values and noise (default: all)")
    add("--count", type=positive(int), metavar="N", default=20, help="structures per layout (default: %(default)s)")
    add("--size", type=positive(int), metavar="MIB", default=1024, help="size of the image (default: %(default)s)")
    add("--hidden", type=positive(int), metavar="N", default=100, help="structures in the image (default: %(default)s)")
    add("--seed", metavar="TEXT", default="1", help="of the random numbers (default: %(default)s)")
    add("--folder", metavar="DIR",
        help="for the image, which is deleted afterwards (default: the system's temporary folder)")
    add("--floor", type=positive(float), metavar="PERCENT",
        help="fail below this share of hits, or if false positives exceed a hundredth of the structures")
    add("--verbose", action="store_true", help="list the misses")
    return parser.parse_args(arguments)


def percent(part, whole):
    return 100.0 * part / whole if whole else 0.0


def print_wrong(all_layouts, scores):
    for layout, score in zip(all_layouts, scores):
        if score.wrong:
            wrong = ", ".join(f"{count} {name}" for name, count in sorted(score.wrong.items()))
            print(f"    {layout}: {score.first} first alone, "
                  f"{score.shared} sharing the first rank, of {score.tried}; otherwise {wrong}")


def measure_guess(options, all_layouts, name, folder):
    """Measures --guess; returns the lower of its two shares."""
    shares = []
    for known in (True, False):
        scores = guess_score.measure(options.tool, all_layouts, WORLDS[name], known, options.count, options.seed, folder)
        tried, first, shared, ranked = (sum(getattr(score, what) for score in scores)
                                        for what in ("tried", "first", "shared", "ranked"))
        right = first + shared
        print(f"guess  {name:8}  offset {'known' if known else 'unknown':7}  {right} of {tried} right, "
              f"{percent(right, tried):.1f} %: {first} ranked first alone, {shared} sharing the first rank; "
              f"{ranked / tried:.2f} layouts in the first rank", flush=True)
        if options.verbose:
            print_wrong(all_layouts, scores)
        shares.append(percent(right, tried))
    return min(shares)


def measure_scan(options, all_layouts, name, folder):
    """Measures --scan; returns the share of structures found, or 0 if too many were reported where there are none."""
    size = options.size << 20
    result = scan_score.measure(options.tool, all_layouts, WORLDS[name], size, options.hidden, options.seed, folder)
    print(f"scan   {name:8}  {options.size} MiB: {result.found} of {result.hidden} found, {result.right} of them right, "
          f"{len(result.false)} false; {result.scan:.2f} s, {result.scan_cpu:.2f} s of processor; "
          f"reading {result.read:.2f} s, {result.read_cpu:.2f} s of processor; ratio {result.scan / result.read:.1f}, "
          f"of processor time {result.scan_cpu / result.read_cpu:.1f}", flush=True)
    if options.verbose:
        for offset, layout in result.missed:
            print(f"    missed at 0x{offset:x}: {layout}")
        for candidate in result.false:
            print(f"    false: {candidate}")
    return percent(result.found, result.hidden) if 100 * len(result.false) <= result.hidden else 0.0


def _main(arguments):
    options = parse_arguments(arguments)
    try:
        all_layouts = layout_export.read(options.tool)
    except OSError as error:
        raise Failure(INPUT, f"{options.tool}: cannot run: {error.strerror}") from error
    measures = {"guess": measure_guess, "scan": measure_scan}
    shares = []
    with Writing(options.folder or tempfile.gettempdir()):
        place = tempfile.TemporaryDirectory(dir=options.folder)
    with place as folder:
        for name in [options.world] if options.world else WORLDS:
            for what in [options.only] if options.only else measures:
                shares.append(measures[what](options, all_layouts, name, folder))
    return FAILED if options.floor and min(shares) < options.floor else PASSED


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _main(arguments))
