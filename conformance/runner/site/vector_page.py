# SPDX-License-Identifier: Apache-2.0
"""vector/ID.html: what a vector shows, the bytes around its fault, what is expected there, and each parser's answer."""
import json

from .. import byte_windows, recipe_block
from ..columns import FAILURES
from ..failure import Failure
from ..html_page import clean, escape, thousands
from ..memory_structure import is_structure
from ..value_text import shorten
from ..vectors import manifest_name, recipe_of
from . import difference_markup
from .dump_markup import window_markup
from .frame import Links, fact_list, page, section, table, turn
from .score_markup import verdict_key

CONTEXT = 3      # lines of bytes on either side of the fault
RECORDS = 6      # expected records shown
VALUE = 48       # characters of a value of a record
DIFFERENCES = 3  # shown of each parser
TITLE = 200      # characters of the title of a cause
COMMAND = 1000   # characters
RECIPE = 30      # lines shown of a recipe
_BUFFER_HEADER = 72


def write(site, vector):
    links = Links(site, "../")
    body = f"""<header>
<p class="kicker">{links.rule(vector["rule"])} · {links.group(vector["group"])} {_turn(site, vector)}</p>
<h1 class="title">{escape(vector["title"])}</h1><p class="id">{vector["id"]}</p>
{_strip(site, vector)}{_facts(site, vector)}</header>
{_bytes(site, vector)}
{_expected(vector)}
{section("Answers", _answers(site, vector, links))}
{_recipe(site, vector)}"""
    return page(f"{vector['id']}: {vector['title']}", links, body)


def _turn(site, vector):
    """Links to the vectors before and after this one among those of its rule."""
    ids = site.ids_of_rule[vector["rule"]]
    at = ids.index(vector["id"])
    before, after = ids[at - 1] if at else None, ids[at + 1] if at + 1 < len(ids) else None
    return turn(before and (before, "previous"), after and (after, "next"))


def _strip(site, vector):
    """All verdicts at a glance."""
    results = [(parser, parser.newest.by_id.get(vector["id"])) for parser in site.parsers]
    shown = "".join(f'<span title="{result["verdict"]}">{verdict_key(result["verdict"])} '
                    f'<a href="#{parser.slug}">{escape(parser.name)}</a></span>' for parser, result in results if result)
    return f'<p class="strip">{shown}</p>'


def _facts(site, vector):
    rule = site.rules[vector["rule"]]
    offset = f"{int(vector['offset']):#x}" if vector.get("offset") is not None else None
    inside = " of an inflated buffer" if vector.get("space") == "inflated" else ""
    rows = [("Rule", f"{rule.id}: {rule.statement}".rstrip(": ")), ("Expected", f"{vector['verdict']} ({vector['level']})"),
            *(("Either because", f"{flag}: {reason}") for flag, reason in vector["flags"].items()),
            ("Structure", " ".join(vector[name] for name in ("structure", "windows", "arch") if name in vector)),
            ("Changed", vector.get("place")), ("Offset", offset and offset + inside), ("Source", vector.get("source")),
            ("File", f"{manifest_name(vector)}, {thousands(vector['size'])} bytes")]
    return fact_list(rows)


# --- answers ---

def _answers(site, vector, links):
    return "".join(_answer(site, parser, vector, links) for parser in site.parsers)


def _answer(site, parser, vector, links):
    result = parser.newest.by_id.get(vector["id"])
    if result is None:
        return ""
    verdict, name = result["verdict"], f"{links.parser(parser)} <span class=\"soft\">{escape(parser.newest.version)}</span>"
    failure = _failure(site, parser, result, links) if verdict in FAILURES else ""
    return (f'<p class="answer" id="{parser.slug}">{verdict_key(verdict)} <b>{verdict}</b> {name}{_before(parser, vector)}'
            f"</p>{failure}\n")


def _before(parser, vector):
    """The verdict of the version before, if it was another."""
    before = parser.before(parser.newest)
    was = before and before.by_id.get(vector["id"])
    if not was or was["verdict"] == parser.newest.by_id[vector["id"]]["verdict"]:
        return ""
    return f' <span class="soft">{was["verdict"]} in {escape(before.version or before.started)}</span>'


def _failure(site, parser, result, links):
    detail = result["detail"]
    if result["verdict"] == "crash":
        detail = difference_markup.without_paths(detail)
    cause = _cause(parser, site.cause_of.get((parser.slug, result["id"])), links)
    known = f'<p class="soft">Known: {escape(shorten(result["known"], 120))}</p>' if result.get("known") else ""
    command = escape(shorten(difference_markup.without_paths(result["command"]), COMMAND), "\n\t")
    return f"""<div class="failure">{cause}{known}<p class="what">{escape(shorten(detail, 300))}</p>
{difference_markup.difference_table(result["differences"], DIFFERENCES)}<pre>{command}</pre></div>"""


def _cause(parser, cause, links):
    if cause is None:
        return ""
    title = links.parser(parser, f"#cause-{cause.id}", escape(shorten(cause.title, TITLE)))
    return f'<p class="cause">Cause: {title}</p>'


# --- bytes ---

def _bytes(site, vector):
    try:
        annotated = byte_windows.Annotated(vector, site.golden.image(vector["id"]), site.tables)
    except Failure as failure:
        return section("Bytes around the fault", f'<p class="soft">{escape(failure)}</p>')
    windows = annotated.windows(byte_windows.marks_of(vector, {}, annotated), CONTEXT)
    where = escape(windows[0]["space"]) if windows else ""
    return section("Bytes around the fault", "".join(map(window_markup, windows)), where)


# --- expected records ---

def _expected(vector):
    records = records_at_fault(vector)
    rows = "".join(f'<tr><th scope="row">{escape(record["rec"])}</th><td class="mono">{_members(record)}</td></tr>\n'
                   for record in records[:RECORDS])
    note = f"{min(len(records), RECORDS)} of {len(vector['expect'])} records"
    return section("Expected decode", table("records", ("Record", "Members"), rows), note)


def records_at_fault(vector):
    """The findings, the records that cover the fault, and the end with its totals."""
    expect = vector["expect"]
    at = int(vector["offset"]) if vector.get("offset") is not None else None
    near = [record for record in expect if at is not None and _covers(vector, record, at)]
    findings = [record for record in expect if record["rec"] == "finding"]
    return [*findings[:RECORDS - 2], *near[:1], *(record for record in expect if record["rec"] == "end")]


def _covers(vector, record, at):
    if record["rec"] not in ("buffer", "event", "member") or "offset" not in record:
        return False
    if not is_structure(vector) and record.get("space") != vector.get("space"):
        return False
    size = _BUFFER_HEADER if record["rec"] == "buffer" else record.get("size", 0)
    return int(record["offset"]) <= at < int(record["offset"]) + size


def _members(record):
    return ", ".join(f"{escape(name)} <b>{escape(_value(value))}</b>" for name, value in record.items() if name != "rec")


def _value(value):
    text = clean(value if isinstance(value, str) else json.dumps(value))
    return text if len(text) <= VALUE else f"{text[:VALUE]}…"


# --- recipe ---

def _recipe(site, vector):
    recipe, line = recipe_of(vector)
    try:
        block = recipe_block.recipe_block(site.recipes, vector)
    except OSError:
        block = []  # the suite was copied without its recipes
    text = "\n".join(f"{number:4}  {content}" for number, content in block[:RECIPE])
    rest = f"\n      … {len(block) - RECIPE} more lines" if len(block) > RECIPE else ""
    inside = f"<pre>{escape(text + rest, chr(10))}</pre>" if block else ""
    return section("Recipe", f'<p class="soft"><code>{escape(recipe)}:{line}</code>, printed by '
                             f'<code>conformance/show {vector["id"]}</code></p>{inside}')
