# SPDX-License-Identifier: Apache-2.0
"""conformance/site: builds a static site from reports."""
import os

from .. import command
from ..failure import PASSED, read_bytes
from ..html_page import asset, thousands
from ..progress import Line
from ..run_options import short_path
from ..show_command import RECIPES
from ..vectors import GOLDEN, Golden
from . import (badge, causes, compare_page, feed, fuzzing_page, index_page, parser_page, rule_pages, site_json, vector_page,
               windows_page)
from .frame import compare_name
from .fuzzing import add_fuzzing
from .site_data import Site
from .site_folder import SiteFolder
from .site_reports import load_parsers

NAME = "conformance/site"
HERE = os.path.dirname(os.path.abspath(__file__))
EPILOG = """\
Several reports of one parser are its versions, in the order of their runs. DIR must be new, empty, or a site made before,
which is replaced. The pages need no server and no script. The same reports give the same bytes.

Causes: files CAUSES/*.json say why parsers fail, as schema/causes.schema.json describes. conformance/causes is an example.
States: folders STATES/* in which scripts/fuzz-parser keeps its findings, such as those in build/fuzz-parser; the site
shows them on pages of their parsers, with their files.
Results: files RESULTS/*.json say how etlproof's decode compares with that of Windows; the site shows them on a page.

Exit status: 0 built, 64 wrong usage, 66 cannot read, 70 an internal error, 74 cannot write or DIR holds something else,
130 interrupted.
"""


def parse(arguments):
    parser = command.Parser(prog=NAME, epilog=EPILOG, description="Builds a static site from reports of conformance/run: "
                                                                  "parsers side by side, by group, rule and vector.")
    parser.add_argument("reports", metavar="REPORT.jsonl", nargs="+", help="report.jsonl of a run; any number of parsers")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="the folder of the site")
    parser.add_argument("--causes", metavar="CAUSES", help="a folder of files with the causes of failures")
    parser.add_argument("--fuzzed", metavar="STATES", help="a folder of state folders of scripts/fuzz-parser")
    parser.add_argument("--tracerpt", metavar="RESULTS", help="a folder of files that conformance/compare-tracerpt wrote")
    parser.add_argument("--golden", metavar="DIR", default=short_path(GOLDEN), help="the vectors (default: %(default)s)")
    parser.add_argument("--recipes", metavar="DIR", default=short_path(RECIPES), help="the recipes (default: %(default)s)")
    parser.add_argument("-q", "--quiet", action="store_true", help="print errors and warnings only")
    return parser.parse_args(arguments)


def main(arguments):
    """The exit status."""
    return command.run(NAME, lambda: build(parse(arguments)), "interrupted; DIR is unchanged")


def build(options):
    parsers = load_parsers(options.reports)
    for folder, add in ((options.causes, causes.add_causes), (options.fuzzed, add_fuzzing)):
        for warning in add(folder, parsers) if folder is not None else ():
            command.complain(NAME, f"warning: {warning}")
    results = [] if options.tracerpt is None else windows_page.load(options.tracerpt)
    site = Site(Golden(options.golden), parsers, options.recipes, results)
    with SiteFolder(options.output) as folder:
        _write(site, folder, options.quiet)
    if not options.quiet:
        command.print_text(f"{os.path.join(options.output, 'index.html')}: {thousands(folder.files)} files, "
                           f"{folder.bytes / 1e6:.1f} MB\n")
    return PASSED


def _write(site, folder, quiet):
    line = Line(quiet)
    try:
        for name, content in pages(site):
            folder.write(name, content)
            if folder.files % 50 == 0:
                line.show(f"{folder.files} files, {len(site.golden.vectors)} vectors")
    finally:
        line.clear()


def pages(site):
    """(name, text or bytes) of each file of the site."""
    yield "html_page.css", asset("html_page.css")
    yield "site.css", asset("verdict_markup.css") + asset("dump.css") + asset("site.css", HERE)
    yield "index.html", index_page.write(site)
    yield "index.json", site_json.write(site)
    yield "feed.xml", feed.write(site)
    yield "rules.html", rule_pages.write_all(site)
    if site.windows_results:
        yield "windows.html", windows_page.write(site)
    for parser in site.parsers:
        yield from _parser_pages(site, parser)
    for one, other in site.pairs():
        yield compare_name(one, other), compare_page.write(site, one, other)
    rules = list(site.rules.values())
    for before, rule, after in zip([None, *rules], rules, [*rules[1:], None]):
        yield f"rule/{rule.id}.html", rule_pages.write(site, rule, before, after)
    for vector in site.golden.vectors:
        yield f"vector/{vector['id']}.html", vector_page.write(site, vector)


def _parser_pages(site, parser):
    if parser.fuzzing:
        yield f"fuzz/{parser.slug}.html", fuzzing_page.write(site, parser)
        for name, path in fuzzing_page.files(parser):
            yield name, read_bytes(path)
    yield f"parser/{parser.slug}.html", parser_page.write(site, parser, parser.newest)
    for report in parser.reports:
        yield f"parser/{parser.slug}/{report.stamp}.html", parser_page.write(site, parser, report, "../../")
    yield f"badge/{parser.slug}.svg", badge.svg(parser.newest)
    yield f"badge/{parser.slug}.json", badge.endpoint(parser.newest)
