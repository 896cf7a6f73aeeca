# SPDX-License-Identifier: Apache-2.0
"""Builds the fuzz targets as OSS-Fuzz and ClusterFuzzLite do, and checks everything that would make them refuse the build.

.clusterfuzzlite/build.sh runs once per sanitizer with the variables of the builder image (SANITIZER, FUZZING_ENGINE, CC,
CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE) and with empty OUT and WORK folders. Then each target of harness/targets.tsv must
be in OUT, start, have coverage and exactly one sanitizer, and need no shared library that a runner lacks. Its seeds must
add coverage, its dictionary must parse, and its options must be known to the engine.
"""
import os
import shutil
import tempfile

from etlproof import ROOT
from etlproof.campaign import targets
from runner import command
from runner.command import Parser
from runner.failure import FAILED, INPUT, PASSED, USAGE, Failure
from .build_check import check_out
from .builder_image import SANITIZERS, BuildFailed, build

NAME = "scripts/check-ossfuzz"


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__,
                    epilog="exit status: 0 passed, 1 a check or a build failed, 64 wrong usage, 66 cannot read, or a tool "
                           "is missing, 70 an internal error, 74 cannot write, 130 interrupted.")
    parser.add_argument("--sanitizer", action="append", choices=sorted(SANITIZERS), metavar="NAME",
                        help="address, undefined or memory; may be repeated (default: all three)")
    parser.add_argument("--out", metavar="DIR", help="check an existing build of one --sanitizer; build nothing")
    parser.add_argument("--targets", metavar="FILE", default=targets.TABLE,
                        help="default: harness/targets.tsv")
    parser.add_argument("--least", metavar="N", type=int, default=50,
                        help="edges that the seeds of a target must cover (default: %(default)s)")
    parser.add_argument("--keep", metavar="DIR",
                        help="build there and keep it, in DIR/SANITIZER/out and DIR/SANITIZER/work")
    options = parser.parse_args(arguments)
    if options.out and len(options.sanitizer or ()) != 1:
        raise Failure(USAGE, "--out needs one --sanitizer: the one of that build")
    return options


def need_tools():
    for tool, package in (("clang", "clang"), ("clang++", "clang"), ("cmake", "cmake"), ("ninja", "ninja-build"),
                          ("objdump", "binutils"), ("ldd", "libc-bin")):
        if not shutil.which(tool):
            raise Failure(INPUT, f"{tool} is not installed (Debian: {package}); scripts/bootstrap test installs what is "
                                 "needed")


def check(sanitizer, out, wanted, least):
    """Prints all faults and a summary line; returns the number of faults."""
    faults, lines = check_out(out, wanted, sanitizer, least)
    for line in lines:
        print(f"{sanitizer}: {line}")
    for fault in faults:
        print(f"{sanitizer}: BAD: {fault}")
    print(f"{sanitizer}: {len(wanted)} target{'s' * (len(wanted) != 1)}, {len(faults) or 'no'} faults", flush=True)
    return len(faults)


def build_and_check(options, sanitizer, folder, wanted):
    out, work = os.path.join(folder, sanitizer, "out"), os.path.join(folder, sanitizer, "work")
    try:
        build(ROOT, sanitizer, out, work)
    except BuildFailed as error:
        print(f"{sanitizer}: BAD: {error}", flush=True)
        return 1
    return check(sanitizer, out, wanted, options.least)


def _main(arguments):
    options = parse_arguments(arguments)
    need_tools()
    wanted = list(targets.load(options.targets).values())
    if options.out:
        if not os.path.isdir(options.out):
            raise Failure(INPUT, f"{options.out}: no such directory")
        return FAILED if check(options.sanitizer[0], options.out, wanted, options.least) else PASSED
    folder = options.keep or tempfile.mkdtemp(prefix="check-ossfuzz-")
    try:
        faults = sum(build_and_check(options, name, folder, wanted) for name in options.sanitizer or SANITIZERS)
    finally:
        if not options.keep:
            shutil.rmtree(folder)
    return FAILED if faults else PASSED


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _main(arguments))
