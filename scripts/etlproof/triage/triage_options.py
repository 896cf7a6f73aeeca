# SPDX-License-Identifier: Apache-2.0
"""The command line of scripts/triage."""
import os

from etlproof import ROOT
from etlproof.campaign.engines import INPUT_SECONDS
from etlproof.parserfuzz import parser_options as fuzz_parser
from runner import adapter
from runner.command import Parser, positive
from runner.failure import USAGE, Failure
from .finisher import SECONDS
from .reproduce import RUNS

PRESETS = ("libfuzzer", "libfuzzer-msan", "asan-ubsan", "msan", "debug", "release", "afl-asan")
DESCRIPTION = """\
From files that make a fuzz target, or someone else's parser, fail to one bucket for each bug: runs each file several times,
says what kind of failure it is and how bad, and puts files of one bug together. A folder stands for the files in it.
"""
EPILOG = """\
examples:
  scripts/triage build/fuzz/fuzz_event/findings          the target is told by the folder
  scripts/triage crash-1 crash-2 --target fuzz_buffer --preset libfuzzer-msan
  scripts/triage odd.etl                                 every target that takes a whole file
  scripts/triage *.etl --parser './my-decoder @@'        someone else's parser
  scripts/triage *.etl --parser ./my-adapter --mode long-lived
  scripts/triage --list
  scripts/triage --merge BUCKET OTHER                    they are one bug: remembered, as is
  scripts/triage --split BUCKET FILE                     FILE is of another bug than the rest

Failures of different kinds, or in different functions, never share a bucket; scripts/etlproof/triage/buckets.py has the
rules. A file that failed before and passes now makes its bucket `fixed`, where it would be seen to fail: under the same
preset, and for what a comparison showed only if the parser is compared again.

exit status: 0 none fails any more, 1 at least one does, 64 wrong usage, 66 cannot read, build or start, 70 an error of this
program, 74 cannot write, 130 interrupted
"""


def _add_subject_options(add):
    add("--target", metavar="T", help="as scripts/fuzz --list names it (default: told by the folder of the file, else "
        "every target that takes a whole file)")
    add("--preset", choices=PRESETS, default="libfuzzer",
        help="libfuzzer has AddressSanitizer and UndefinedBehaviorSanitizer, libfuzzer-msan MemorySanitizer; others replay "
             "(default: %(default)s)")
    add("--no-build", action="store_true", help="takes targets and commands as they are, and makes no input small")
    add("--program", metavar="FILE", help="runs this in place of the target's own build; with --target")
    add("--parser", metavar="CMD", help="a command, @@ stands for the file. One that speaks as for the conformance suite "
        "(--describe) is also held to the reference decode")
    add("--mode", choices=adapter.MODES, help="how the parser is talked to, as conformance/run has it (default: one-shot)")
    add("--adapter", metavar="FILE.json", help="in place of --parser: a file that says command and mode")
    add("--plain", action="store_true", help="does not ask the parser for --describe, and compares nothing")
    add("--level", choices=fuzz_parser.LEVELS, help="of the comparison, as scripts/fuzz-parser has it (default: must)")
    add("--policy", metavar="FILE", help="the same, of what is not settled")
    add("--build", metavar="DIR", default=fuzz_parser.BUILD,
        help="where the reference decode is built, for such a parser: as scripts/fuzz-parser has it")
    add("--name", help="of the parser (default: as it calls itself, or else its command)")


def _add_work_options(add):
    add("--runs", type=positive(int), metavar="N", default=RUNS, help="of each file (default: %(default)s)")
    add("--timeout", type=positive(float), metavar="SECONDS",
        help=f"for one run (default: {INPUT_SECONDS}; {fuzz_parser.SECONDS:g} for a parser)")
    add("--memory", type=positive(int), metavar="MIB",
        help=f"resident memory of a parser (default: {fuzz_parser.MEMORY})")
    add("--seconds", type=int, metavar="N", default=SECONDS,
        help="for making the input of a bucket small; 0 leaves it as it is (default: %(default)s)")
    add("--quick", action="store_true", help="sorts only: no input is made small, no bucket explained or drawn")
    add("-j", "--jobs", type=positive(int), metavar="N", default=os.cpu_count() or 1, help="at once (default: %(default)s)")


def _add_output_options(add):
    add("-o", "--output", metavar="FOLDER", help="a folder for each bucket (default: buckets/ in the state folder)")
    add("--json", action="store_true", help="one JSON object on standard output in place of the text, as "
        "scripts/etlproof/pages/schema/triage.schema.json has it")
    add("--sarif", metavar="FILE", help="the buckets as SARIF, for code-scanning views")
    add("--state", metavar="DIR", default=os.path.join(ROOT, "build", "triage"),
        help="where what is known is kept (default: build/triage)")


def _add_decision_options(add):
    add("--list", action="store_true", help="lists the buckets that are known")
    add("--merge", nargs=2, metavar=("BUCKET", "OTHER"), help="from now on what belongs to OTHER belongs to BUCKET")
    add("--split", nargs=2, metavar=("BUCKET", "FILE"), help="gives FILE, and what is like it, a bucket of its own")


def parse(arguments):
    parser = Parser(prog="scripts/triage", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("files", nargs="*", metavar="FILE")
    _add_subject_options(parser.add_argument_group("what the files are run on").add_argument)
    _add_work_options(parser.add_argument_group("how").add_argument)
    _add_output_options(parser.add_argument_group("what is written").add_argument)
    _add_decision_options(parser.add_argument_group("what a person decides, in place of FILE").add_argument)
    options = parser.parse_args(arguments)
    _check(options)
    return options


def _check(options):
    decides = sum(map(bool, (options.list, options.merge, options.split)))
    if decides > 1 or (decides and options.files):
        raise Failure(USAGE, "--list, --merge and --split stand alone")
    if not decides and not options.files:
        raise Failure(USAGE, "FILE expected (see --help)")
    _check_parser(options)
    if options.program and not options.target:
        raise Failure(USAGE, "--program: wants --target, which says what it is")
    if options.seconds < 0:
        raise Failure(USAGE, "--seconds wants a whole number from 0 on")
    if not options.of_parser:
        _check_target(options)


def _check_target(options):
    if options.memory:
        raise Failure(USAGE, "--memory is for --parser; a target has the limit of scripts/fuzz")
    if options.timeout:
        if options.timeout % 1:
            raise Failure(USAGE, f"--timeout {options.timeout:g}: a target takes whole seconds")
        options.timeout = int(options.timeout)


def _check_parser(options):
    options.of_parser = options.parser is not None or options.adapter is not None
    if options.parser and options.adapter:
        raise Failure(USAGE, "--adapter names the command; leave out --parser")
    if options.adapter and (options.mode or options.plain):
        raise Failure(USAGE, "--adapter says how it is talked to; leave out --mode and --plain")
    if options.mode and not options.parser:
        raise Failure(USAGE, "--mode is for --parser")
    if options.mode == "long-lived" and options.plain:
        raise Failure(USAGE, "--plain is for a command started for each file: it does not go with --mode long-lived")
    if (options.level or options.policy) and (options.plain or not options.of_parser):
        raise Failure(USAGE, "--level and --policy are for a parser that is held to the reference decode")
    if options.of_parser and (options.target or options.program):
        raise Failure(USAGE, "a parser and --target exclude each other")
    words = [] if options.parser is None else adapter.words_of("--parser", options.parser)
    options.command = [word.replace("@@", "{file}") for word in words]
