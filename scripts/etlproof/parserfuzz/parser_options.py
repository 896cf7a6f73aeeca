# SPDX-License-Identifier: Apache-2.0
"""The command line of scripts/fuzz-parser."""
import os

from etlproof import ROOT
from runner.command import Parser, positive
from runner.failure import USAGE, Failure

LEVELS = ("must", "should")
BUILD = os.path.join(ROOT, "build", "release")
# Of one file, what the parser may take; in MiB.
SECONDS, MEMORY = 10.0, 1024
DESCRIPTION = """\
Fuzzes a parser of ETL files, in any language, and holds it to the reference decode.

Mutants of the seeds are decoded by etlproof and by the parser. It speaks as conformance/README.md says (--describe, decode
records, exit codes); only what it declares is compared. Events that are missing with nothing said, wrong values, files
accepted or rejected that should not be are findings, as crashes, hangs and too much memory are. What evidence does not
settle is no finding. With --plain any command will do: then only crashes, hangs and memory are seen.
"""
EPILOG = """\
examples:
  scripts/fuzz-parser -- ./my-decoder @@                ten minutes, a process for each mutant
  scripts/fuzz-parser --mode long-lived -- ./my-adapter one process that stays, JSON Lines
  scripts/fuzz-parser --engine shim -- ./my-shim        the same, of shim.h and host.c: in-process
  scripts/fuzz-parser --plain -- ./viewer --quiet @@    any command
  scripts/fuzz-parser --engine afl -- ./my-decoder-built-by-afl-clang-fast @@
  scripts/fuzz-parser --check one.etl -- ./my-decoder   what is wrong with one file

Findings, the smallest input of each, are in build/fuzz-parser/NAME/findings; a file that brings down etlproof itself ends
the run, and is in reference-failed beside it. The same --seed and seeds give the same mutants.

exit status: 0 nothing found, 1 something was, 64 wrong usage, 66 cannot read or start, 70 an error of this program, 74
cannot write, 130 interrupted with nothing found
"""


def _add_parser_options(add):
    add("--engine", choices=("mutator", "shim", "afl"), default="mutator",
        help="mutator: black-box; shim: the same with a program of shim.h and host.c; afl: guided by coverage, with a "
             "command that AFL++ has instrumented (default: %(default)s)")
    add("--mode", choices=("one-shot", "long-lived"), help="how the parser is talked to (default: one-shot)")
    add("--adapter", metavar="FILE.json", help="a file that says name, command and mode, as conformance/run has it. With "
        "--engine afl it is who is compared, and the command is what AFL++ runs")
    add("--plain", action="store_true", help="the command says nothing that could be compared")
    add("--name", help="of the state folder (default: as the parser calls itself; with --plain, its program and a hash of "
        "the command)")


def _add_work_options(add):
    add("--seeds", metavar="DIR", help="ETL files to start from, in place of those of the build; of conformance/golden, "
        "those that a reader should accept")
    add("--seed", type=int, metavar="N", default=1, help="which mutants (default: %(default)s)")
    add("--mutants", type=positive(int), metavar="N", help="ends after as many, instead of a time")
    add("--minutes", type=positive(float), metavar="N", help="default: 10")
    add("--seconds", type=positive(float), metavar="N", help="instead of minutes")
    add("--most", type=positive(int), metavar="BYTES", default=1 << 16, help="size of a mutant; larger seeds are "
        "left out (default: %(default)s)")
    add("--level", choices=LEVELS, default=LEVELS[0],
        help="should: also compares what can be recovered behind the first fault of a file (default: must)")
    add("--policy", metavar="FILE", help="lines `FLAG = any|accept|reject|reference` for what is not settled")
    add("--trim-seconds", type=float, metavar="N", default=10.0,
        help="for making a finding smaller; 0 leaves it as it is (default: 10)")
    add("--resume", action="store_true", help="goes on with a run of the same parser, seeds and --seed; of any other "
        "run, AFL++ goes on with its inputs, which are all judged again")


def _add_limit_options(add):
    add("-j", "--jobs", type=positive(int), metavar="N", default=os.cpu_count() or 1, help="at once (default: %(default)s)")
    add("--timeout", type=positive(float), metavar="SECONDS", default=SECONDS,
        help="per mutant (default: %(default)g)")
    add("--memory", type=positive(int), metavar="MIB", default=MEMORY,
        help="resident memory (default: %(default)s)")


def _add_other_options(add):
    add("--check", metavar="FILE", action="append", default=[], help="judges these files, and fuzzes nothing")
    add("--list", action="store_true", help="lists what was found so far, and fuzzes nothing")
    add("--state", metavar="DIR", help="in place of build/fuzz-parser/NAME")
    add("--build", metavar="DIR", default=BUILD,
        help="where etlproof is built (default: build/release). Folders of the tree are brought up to its sources first")
    add("--no-build", action="store_true", help="takes etlproof as it is built")


def parse(arguments):
    parser = Parser(prog="scripts/fuzz-parser", usage="%(prog)s [OPTIONS] -- CMD [ARG...]", description=DESCRIPTION,
                    epilog=EPILOG)
    _add_parser_options(parser.add_argument_group("the parser").add_argument)
    _add_work_options(parser.add_argument_group("what is done").add_argument)
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
        raise Failure(USAGE, "@@ stands for a file, and a parser that is long-lived is told of files on its standard input")
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
        raise Failure(USAGE, "--plain is for a command that is started for each file, and does not go with --adapter, "
                             "--mode long-lived or --engine shim")
    if not _has_place(options.command):
        raise Failure(USAGE, "--plain: no @@, which stands for the file, in the command")


def _has_place(command):
    return any("{file}" in word for word in command)
