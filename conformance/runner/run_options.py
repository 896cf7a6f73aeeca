# SPDX-License-Identifier: Apache-2.0
"""The command line of conformance/run."""
import os

from .command import Parser, positive
from .failure import USAGE, Failure
from .limits import START_SHARE
from .vectors import GOLDEN

EXAMPLES = """\
examples:
  conformance/run -- ./my-decoder                       runs ./my-decoder FILE for each vector
  conformance/run -- python3 my_decoder.py --in {file}  the file's place among the arguments
  conformance/run --mode long-lived -- ./my-adapter     one process, JSON Lines on stdin and stdout
  conformance/run --adapter conformance/adapters/etlproof/etlproof.json
  conformance/run --filter group=size --filter 'rule=SIZ-*' -- ./my-decoder
  conformance/run --known known.txt --fix -- ./my-decoder
  conformance/run --compare old/report.jsonl new/report.jsonl

Filters: id=GLOB (or the glob alone), rule=, group=, level=, verdict=, flag=, metadata=. A vector must match one of the
filters with the same key, and every key; KEY!=GLOB leaves vectors out.

Exit status: 0 all vectors pass, or fail as known; 1 failures; 64 wrong usage; 66 cannot read, or the parser does not
start; 70 an internal error; 74 cannot write; 130 interrupted, --resume continues the run.
"""


def _add_parser_options(add):
    add("--mode", choices=("one-shot", "long-lived"), help="how the parser is run (default: one-shot)")
    add("--layout", metavar="'CMD ...'",
        help="the one-shot command for structures in memory, with {structure}, {windows}, {arch} and {file} in it")
    add("--adapter", metavar="FILE.json", help="a file with name, command, mode and description")


def _add_choice_options(add):
    add("--golden", metavar="DIR", default=short_path(GOLDEN), help="the vectors (default: %(default)s)")
    add("--large", action="store_true",
        help="the large vectors in place of these: etlproof-build builds them in the folder of the reports")
    add("--build", metavar="PATH",
        help="etlproof-build, for --large; default: the newest in build/*/bin, else that on PATH")
    add("--filter", metavar="EXPR", action="append", default=[], help="select vectors; may be repeated")
    add("--level", choices=("must", "should"), default="should",
        help="must: leave out what is only recommended (default: should, everything)")
    add("--policy", metavar="FILE",
        help="lines `FLAG = any|accept|reject|reference`, for vectors with the verdict `either`")
    add("--policy-set", metavar="FLAG=VALUE", action="append", default=[], help="one line of a policy; FLAG may be a glob")


def _add_known_options(add):
    add("--known", metavar="FILE", help="known failures: lines `ID-or-glob VERDICT RULE URL`")
    add("--fix", action="store_true", help="update the known failures: drop entries that no longer fail, correct verdicts")
    add("--fix=add", metavar="URL", dest="fix_add", help="the same, and add new failures with this URL")


def _add_limit_options(add):
    add("-j", "--jobs", metavar="N", type=positive(int), default=os.cpu_count() or 1,
        help="parsers to run at the same time (default: %(default)s)")
    add("--timeout", metavar="SECONDS", type=positive(float), default=10.0,
        help=f"wall time a vector (default: 10); a long-lived parser has {START_SHARE} times as much to start")
    add("--cpu", metavar="SECONDS", type=positive(float), help="processor time a vector (default: as --timeout)")
    add("--memory", metavar="MIB", type=positive(int), default=1024, help="resident memory (default: 1024)")
    add("--no-confine", dest="confine", action="store_false",
        help="run the parser outside of bubblewrap (bwrap): it may then write files and use the network")


def _add_report_options(add):
    add("--report", metavar="DIR", default="etlproof-report", help="the folder of the reports (default: %(default)s)")
    add("--resume", action="store_true", help="continue a run that was cut short")
    add("--compare", metavar=("OLD.jsonl", "NEW.jsonl"), nargs=2,
        help="report what got better or worse; exit 1 if anything got worse, or if NEW was cut short")
    add("--list", action="store_true", help="list the selected vectors and run nothing")
    add("--quiet", action="store_true", help="print no summary and no progress")


def short_path(path):
    """The path relative to the current folder, if that is shorter."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return relative if len(relative) < len(path) else path


def parse(arguments):
    """The options as a namespace; `command` holds the words after `--`."""
    parser = Parser(prog="conformance/run", usage="%(prog)s [OPTIONS] -- CMD [ARG...]",
                    description="Runs a parser of ETL files over the vectors and reports which rules it breaks.",
                    epilog=EXAMPLES)
    _add_parser_options(parser.add_argument_group("the parser").add_argument)
    _add_choice_options(parser.add_argument_group("vectors").add_argument)
    _add_known_options(parser.add_argument_group("known failures").add_argument)
    _add_limit_options(parser.add_argument_group("limits").add_argument)
    _add_report_options(parser.add_argument_group("reports").add_argument)
    options = parser.parse_with_command(arguments)
    options.fix = options.fix or options.fix_add is not None
    options.cpu = options.cpu or options.timeout
    if options.large:
        options.golden = os.path.join(options.report, "large")
    _check(options)
    return options


def _check(options):
    if options.compare or options.list:
        return
    if options.adapter and (options.command or options.mode):
        raise Failure(USAGE, "--adapter has command and mode; leave out --mode and the command after --")
    if not options.adapter and not options.command:
        raise Failure(USAGE, "no parser: expected `-- CMD [ARG...]` or --adapter FILE.json (see --help)")
