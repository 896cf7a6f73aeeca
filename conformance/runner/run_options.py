# SPDX-License-Identifier: Apache-2.0
"""The command line."""
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

filters: id=GLOB (or the glob alone), rule=, group=, level=, verdict=, flag=. Of several for the same key one has
to hold, of different keys all.

exit codes: 0 all pass, or fail as known · 1 there are failures · 64 usage · 66 cannot read, or the parser does not
start · 70 an error of the runner itself · 74 cannot write · 130 interrupted, --resume goes on
"""


def _add_parser_options(add):
    add("--mode", choices=("one-shot", "long-lived"), help="how the parser is talked to (default: one-shot)")
    add("--layout", metavar="'CMD ...'",
        help="the one-shot command of structures in memory, with {structure}, {windows}, {arch} and {file} in it")
    add("--adapter", metavar="FILE.json", help="a file that says name, command, mode and description")


def _add_choice_options(add):
    add("--golden", metavar="DIR", default=_short(GOLDEN), help="the vectors (default: %(default)s)")
    add("--filter", metavar="EXPR", action="append", default=[], help="only vectors that match; may be repeated")
    add("--level", choices=("must", "should"), default="should",
        help="must: leaves out what is only wished for (default: should, everything)")
    add("--policy", metavar="FILE",
        help="lines `FLAG = any|accept|reject|reference` for vectors whose answer is not settled")
    add("--policy-set", metavar="FLAG=VALUE", action="append", default=[], help="one such line; FLAG may be a glob")


def _add_known_options(add):
    add("--known", metavar="FILE", help="known failures, lines `ID-or-glob VERDICT RULE URL`")
    add("--fix", action="store_true", help="rewrites the known failures: drops what no longer fails, updates verdicts")
    add("--fix=add", metavar="URL", dest="fix_add", help="the same, and adds new failures with this URL")


def _add_limit_options(add):
    add("-j", "--jobs", metavar="N", type=positive(int), default=os.cpu_count() or 1,
        help="at once (default: %(default)s)")
    add("--timeout", metavar="SECONDS", type=positive(float), default=10.0,
        help=f"per vector (default: 10); a parser that stays has {START_SHARE} times as much to start")
    add("--cpu", metavar="SECONDS", type=positive(float), help="processor time per vector (default: as --timeout)")
    add("--memory", metavar="MIB", type=positive(int), default=1024, help="resident memory (default: 1024)")


def _add_report_options(add):
    add("--report", metavar="DIR", default="etlproof-report", help="where reports go (default: %(default)s)")
    add("--resume", action="store_true", help="goes on with a report that was cut short")
    add("--compare", metavar=("OLD.jsonl", "NEW.jsonl"), nargs=2,
        help="says what got better and worse; exits 1 if worse, or if the new one was cut short")
    add("--list", action="store_true", help="lists the chosen vectors and runs nothing")
    add("--quiet", action="store_true", help="no summary, no progress")


def _short(path):
    """The path as a person in this folder would type it, if that is shorter."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return relative if len(relative) < len(path) else path


def parse(arguments):
    """Options as a namespace; `command` is what follows `--`."""
    parser = Parser(prog="conformance/run", usage="%(prog)s [OPTIONS] -- CMD [ARG...]",
                    description="Runs a parser of ETL files over the vectors and says which rules it breaks.",
                    epilog=EXAMPLES)
    _add_parser_options(parser.add_argument_group("the parser").add_argument)
    _add_choice_options(parser.add_argument_group("what is asked").add_argument)
    _add_known_options(parser.add_argument_group("known failures").add_argument)
    _add_limit_options(parser.add_argument_group("limits").add_argument)
    _add_report_options(parser.add_argument_group("reports").add_argument)
    options = parser.parse_with_command(arguments)
    options.fix = options.fix or options.fix_add is not None
    options.cpu = options.cpu or options.timeout
    _check(options)
    return options


def _check(options):
    if options.compare or options.list:
        return
    if options.adapter and (options.command or options.mode):
        raise Failure(USAGE, "--adapter names command and mode; leave out --mode and what follows --")
    if not options.adapter and not options.command:
        raise Failure(USAGE, "no parser: expected `-- CMD [ARG...]` or --adapter FILE.json (see --help)")
