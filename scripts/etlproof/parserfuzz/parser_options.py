# SPDX-License-Identifier: Apache-2.0
"""The command line of scripts/fuzz-parser."""
import os

from etlproof import ROOT
from runner.command import Parser, positive
from runner.failure import USAGE, Failure

LEVELS = ("must", "should")
BUILD = os.path.join(ROOT, "build", "release")
# Limits of the parser for one file: seconds, and MiB of memory.
SECONDS, MEMORY = 10.0, 1024
DESCRIPTION = """\
Fuzzes a parser of ETL files, written in any language, and compares it with the reference decode.

etlproof and the parser decode mutants of the seeds. The parser speaks the protocol of conformance/README.md (--describe,
decode records, exit codes); only declared fields are compared. Findings are silently lost events, wrong values, files
wrongly accepted or rejected, crashes, hangs and excessive memory. Where the evidence on the format is inconclusive, a
difference is no finding. With --plain any command works, and only crashes, hangs and memory are checked.
"""
EPILOG = """\
examples:
  scripts/fuzz-parser -- ./my-decoder @@                ten minutes, one process per mutant
  scripts/fuzz-parser --mode long-lived -- ./my-adapter one process, JSON Lines
  scripts/fuzz-parser --engine shim -- ./my-shim        the same with shim.h and host.c: in-process
  scripts/fuzz-parser --plain -- ./viewer --quiet @@    any command
  scripts/fuzz-parser --engine afl -- ./my-decoder-built-by-afl-clang-fast @@
  scripts/fuzz-parser --check one.etl -- ./my-decoder   judge one file

build/fuzz-parser/NAME/findings keeps the smallest input of each finding. A file on which etlproof itself fails ends the run
and is kept in reference-failed. The same seeds and --seed give the same mutants.

exit status: 0 no finding, 1 at least one, 64 wrong usage, 66 cannot read or start, 70 an internal error, 74
cannot write, 130 interrupted without a finding
"""


def _add_parser_options(add):
    add("--engine", choices=("mutator", "shim", "afl"), default="mutator",
        help="mutator: black-box; shim: black-box, in-process with shim.h and host.c; afl: guided by coverage, with an "
             "instrumented command (default: %(default)s)")
    add("--mode", choices=("one-shot", "long-lived"), help="how to talk to the parser (default: one-shot)")
    add("--adapter", metavar="FILE.json",
        help="a file with name, command and mode, as for conformance/run. With --engine afl, CMD is only what AFL++ runs")
    add("--plain", action="store_true", help="compare nothing: check for crashes, hangs and memory only")
    add("--name", help="name of the state folder (default: the parser's own name; with --plain, its program and a hash "
        "of the command)")


def _add_work_options(add):
    add("--seeds", metavar="DIR", help="start from these ETL files instead of the built seeds; of conformance/golden, only "
        "the accepted vectors are used")
    add("--seed", type=int, metavar="N", default=1, help="of the random numbers (default: %(default)s)")
    add("--mutants", type=positive(int), metavar="N", help="stop after N mutants, instead of a time")
    add("--minutes", type=positive(float), metavar="N", help="fuzzing time (default: 10)")
    add("--seconds", type=positive(float), metavar="N", help="fuzzing time in seconds, instead of --minutes")
    add("--most", type=positive(int), metavar="BYTES", default=1 << 16, help="largest mutant; larger seeds are "
        "skipped (default: %(default)s)")
    add("--level", choices=LEVELS, default=LEVELS[0],
        help="should: also compare records behind the first fault of a file (default: must)")
    add("--policy", metavar="FILE", help="lines `FLAG = any|accept|reject|reference`, for open questions")
    add("--trim-seconds", type=float, metavar="N", default=10.0,
        help="time to minimise one finding; 0: do not (default: 10)")
    add("--resume", action="store_true", help="continue a run of the same parser, seeds and --seed. After another run, "
        "AFL++ keeps its inputs, which are judged again")


def _add_limit_options(add):
    add("-j", "--jobs", type=positive(int), metavar="N", default=os.cpu_count() or 1,
        help="mutants at the same time (default: %(default)s)")
    add("--timeout", type=positive(float), metavar="SECONDS", default=SECONDS,
        help="time limit per mutant (default: %(default)g)")
    add("--memory", type=positive(int), metavar="MIB", default=MEMORY,
        help="limit on resident memory (default: %(default)s)")


def _add_other_options(add):
    add("--check", metavar="FILE", action="append", default=[], help="judge these files and fuzz nothing")
    add("--list", action="store_true", help="list the findings so far and fuzz nothing")
    add("--state", metavar="DIR", help="keep state here instead of build/fuzz-parser/NAME")
    add("--build", metavar="DIR", default=BUILD,
        help="where etlproof is built (default: build/release); build folders of the tree are updated first")
    add("--no-build", action="store_true", help="use etlproof as it is built")


def parse(arguments):
    parser = Parser(prog="scripts/fuzz-parser", usage="%(prog)s [OPTIONS] -- CMD [ARG...]", description=DESCRIPTION,
                    epilog=EPILOG)
    _add_parser_options(parser.add_argument_group("the parser").add_argument)
    _add_work_options(parser.add_argument_group("work").add_argument)
    _add_limit_options(parser.add_argument_group("limits").add_argument)
    _add_other_options(parser.add_argument_group("other").add_argument)
    options = parser.parse_with_command(arguments)
    options.command = [word.replace("@@", "{file}") for word in options.command]
    _check(options)
    return options


def _check(options):
    options.cpu = options.timeout
    if options.list and (options.state or options.name):
        return
    if options.adapter and options.engine != "afl" and (options.command or options.mode):
        raise Failure(USAGE, "--adapter names command and mode; leave out --mode and what follows --")
    if not options.command and (not options.adapter or options.engine == "afl"):
        raise Failure(USAGE, "no parser: expected `-- CMD [ARG...]` or --adapter FILE.json (see --help)")
    _check_plain(options)
    if options.engine == "shim":
        options.mode = options.mode or "long-lived"
    if options.mode == "long-lived" and _has_place(options.command):
        raise Failure(USAGE, "@@ stands for a file, and a long-lived parser gets files on its standard input")
    if options.engine == "afl" and not _has_place(options.command):
        raise Failure(USAGE, "--engine afl: no @@, which stands for the file, in the command")
    if options.minutes and options.seconds:
        raise Failure(USAGE, "--minutes and --seconds exclude each other")
    if not 0 <= options.seed < 1 << 31:
        raise Failure(USAGE, f"--seed {options.seed}: a whole number of 0 to {(1 << 31) - 1} expected")


def _check_plain(options):
    if not options.plain:
        return
    if options.adapter or options.mode == "long-lived" or options.engine == "shim":
        raise Failure(USAGE, "--plain is for a command that is started for each file; it excludes --adapter, "
                             "--mode long-lived and --engine shim")
    if not _has_place(options.command):
        raise Failure(USAGE, "--plain: no @@, which stands for the file, in the command")


def _has_place(command):
    return any("{file}" in word for word in command)
