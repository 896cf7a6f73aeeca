# SPDX-License-Identifier: Apache-2.0
"""The command line of scripts/triage."""
import os

from etlproof import ROOT
from etlproof.campaign.engines import INPUT_SECONDS
from etlproof.parserfuzz import parser_options as fuzz_parser
from runner import parser_under_test
from runner.command import Parser, positive
from runner.failure import USAGE, Failure
from .finisher import SECONDS
from .reproduce import RUNS

PRESETS = ("libfuzzer", "libfuzzer-msan", "asan-ubsan", "msan", "debug", "release", "afl-asan")
DESCRIPTION = """\
Sorts files that make a fuzz target, or someone's parser, fail into one bucket per bug. Each file is run several times; its
failure is classified and rated, and files with the same bug share a bucket. A folder stands for the files in it.
"""
EPILOG = """\
examples:
  scripts/triage build/fuzz/fuzz_event/findings          the folder names the target
  scripts/triage crash-1 crash-2 --target fuzz_buffer --preset libfuzzer-msan
  scripts/triage odd.etl                                 every target that takes a whole file
  scripts/triage *.etl --parser './my-decoder @@'        someone else's parser
  scripts/triage *.etl --parser ./my-adapter --mode long-lived
  scripts/triage --list
  scripts/triage --merge BUCKET OTHER                    both are one bug; remembered
  scripts/triage --split BUCKET FILE                     FILE shows another bug than the rest

Failures of different kinds, or in different functions, never share a bucket; scripts/etlproof/triage/buckets.py has the
rules. A bucket becomes `fixed` when its files pass under the same preset; one that the comparison with the reference
showed, only if the parser is compared again.

exit status: 0 no file fails, 1 at least one does, 64 wrong usage, 66 cannot read, build or start, 70 an internal
error, 74 cannot write, 130 interrupted
"""


def _add_subject_options(add):
    add("--target", metavar="T", help="a name from scripts/fuzz --list (default: named by the file's folder, else every "
        "target that takes a whole file)")
    add("--preset", choices=PRESETS, default="libfuzzer",
        help="libfuzzer: with ASan and UBSan; libfuzzer-msan: with MSan; the others replay (default: %(default)s)")
    add("--no-build", action="store_true", help="use targets and commands as they are built, and minimise nothing")
    add("--program", metavar="FILE", help="run this instead of the target's own build; needs --target")
    add("--parser", metavar="CMD", help="someone's parser; @@ stands for the file. If it answers --describe, its output is "
        "compared with the reference decode")
    add("--mode", choices=parser_under_test.MODES,
        help="how to talk to the parser, as for conformance/run (default: one-shot)")
    add("--adapter", metavar="FILE.json", help="a file with command and mode, instead of --parser")
    add("--plain", action="store_true", help="compare nothing: exit status, signal, time and memory only")
    add("--level", choices=fuzz_parser.LEVELS, help="of the comparison, as for scripts/fuzz-parser (default: must)")
    add("--policy", metavar="FILE", help="policy for open questions, as for scripts/fuzz-parser")
    add("--build", metavar="DIR", default=fuzz_parser.BUILD,
        help="where etlproof is built, for the comparison (default: build/release)")
    add("--name", help="name of the parser (default: its own, else its command)")


def _add_work_options(add):
    add("--runs", type=positive(int), metavar="N", default=RUNS, help="runs per file (default: %(default)s)")
    add("--timeout", type=positive(float), metavar="SECONDS",
        help=f"time limit for one run (default: {INPUT_SECONDS}; {fuzz_parser.SECONDS:g} for a parser)")
    add("--memory", type=positive(int), metavar="MIB",
        help=f"limit on a parser's resident memory (default: {fuzz_parser.MEMORY})")
    add("--seconds", type=int, metavar="N", default=SECONDS,
        help="time to minimise one bucket's input, and as much to find the member that decides; 0: neither "
        "(default: %(default)s)")
    add("--quick", action="store_true", help="sort only: minimise nothing, explain nothing, write no pages")
    add("-j", "--jobs", type=positive(int), metavar="N", default=os.cpu_count() or 1,
        help="runs at the same time (default: %(default)s)")


def _add_output_options(add):
    add("-o", "--output", metavar="FOLDER", help="write one folder per bucket here (default: buckets/ in the state folder)")
    add("--json", action="store_true", help="print one JSON object instead of text; schema: "
        "scripts/etlproof/pages/schema/triage.schema.json")
    add("--sarif", metavar="FILE", help="write the buckets as SARIF, for code-scanning views")
    add("--state", metavar="DIR", default=os.path.join(ROOT, "build", "triage"),
        help="database of buckets (default: build/triage)")


def _add_decision_options(add):
    add("--list", action="store_true", help="list the known buckets")
    add("--merge", nargs=2, metavar=("BUCKET", "OTHER"), help="treat OTHER as BUCKET from now on")
    add("--split", nargs=2, metavar=("BUCKET", "FILE"), help="move FILE, and failures like it, to a bucket of their own")


def parse(arguments):
    parser = Parser(prog="scripts/triage", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("files", nargs="*", metavar="FILE")
    _add_subject_options(parser.add_argument_group("the program under test").add_argument)
    _add_work_options(parser.add_argument_group("work").add_argument)
    _add_output_options(parser.add_argument_group("output").add_argument)
    _add_decision_options(parser.add_argument_group("decisions, instead of FILE").add_argument)
    options = parser.parse_args(arguments)
    _check(options)
    return options


def _check(options):
    decides = sum(map(bool, (options.list, options.merge, options.split)))
    if decides > 1 or (decides and options.files):
        raise Failure(USAGE, "--list, --merge and --split take no FILE and exclude each other")
    if not decides and not options.files:
        raise Failure(USAGE, "FILE expected (see --help)")
    _check_parser(options)
    if options.program and not options.target:
        raise Failure(USAGE, "--program needs --target, which names its kind of input")
    if options.seconds < 0:
        raise Failure(USAGE, "--seconds: a number of at least 0 expected")
    if not options.of_parser:
        _check_target(options)


def _check_target(options):
    if options.memory:
        raise Failure(USAGE, "--memory is for --parser; a target has the limit of scripts/fuzz")
    if options.timeout:
        if options.timeout % 1:
            raise Failure(USAGE, f"--timeout {options.timeout:g}: whole seconds expected for a target")
        options.timeout = int(options.timeout)


def _check_parser(options):
    options.of_parser = options.parser is not None or options.adapter is not None
    if options.parser and options.adapter:
        raise Failure(USAGE, "--adapter names the command; leave out --parser")
    if options.adapter and (options.mode or options.plain):
        raise Failure(USAGE, "--adapter excludes --mode and --plain")
    if options.mode and not options.parser:
        raise Failure(USAGE, "--mode is for --parser")
    if options.mode == "long-lived" and options.plain:
        raise Failure(USAGE, "--plain is for one process per file; it excludes --mode long-lived")
    if (options.level or options.policy) and (options.plain or not options.of_parser):
        raise Failure(USAGE, "--level and --policy are for a parser that is compared with the reference decode")
    if options.of_parser and (options.target or options.program):
        raise Failure(USAGE, "a parser and --target exclude each other")
    words = [] if options.parser is None else parser_under_test.words_of("--parser", options.parser)
    options.command = [word.replace("@@", "{file}") for word in words]
