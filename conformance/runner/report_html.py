# SPDX-License-Identifier: Apache-2.0
"""The HTML report: one file that opens offline. All output of the parser is untrusted, and is shown as text."""
import json
from typing import NamedTuple

from . import byte_windows, columns, tables
from .columns import FAILURES, VERDICT_TABLE
from .crash_reports import head_and_tail
from .failure import Failure
from .html_page import asset, clean, document, escape, thousands
from .value_text import beside, shorten
from .verdict_markup import (bar, broken_rules, counts_of, counts_text, failures_how, key, parser_heading, run_facts,
                             score)

LIMIT = 3_000_000  # bytes of the page
STYLES = ("verdict_markup.css", "dump.css", "report.css")
NOTE = 1000  # bytes reserved for the note about what was left out

_ORDER = {verdict.name: number for number, verdict in enumerate(VERDICT_TABLE)}


class Detail(NamedTuple):
    """How much of a failure the page shows."""
    context: int      # lines of bytes on either side of a place
    differences: int
    value: int        # characters of a value or a sentence
    stderr: int       # characters of standard error


# Tried one after the other until the page is small enough.
DETAILS = (Detail(8, 20, 400, 2000), Detail(5, 10, 240, 800), Detail(3, 6, 160, 400), Detail(1, 3, 100, 160))


class _Texts:
    """Texts that vectors share, stored once: calling it with a text returns the number of that text."""

    def __init__(self):
        self.numbers = {}

    def __call__(self, text):
        return self.numbers.setdefault(text, len(self.numbers))


class _Page:
    """The data for the page's script."""

    def __init__(self, results, vectors):
        self.results = results
        self.vectors = vectors
        self.tables = tables.load_tables()
        self.left_out = ""
        self.annotated = {}

    def description(self, result):
        """The vector's JSON, or an empty dictionary if the vectors are no longer there."""
        try:
            return self.vectors.description(result["id"])
        except KeyError:
            return {}

    def data(self, most):
        """The data as JSON that is safe in a script element, at most `most` bytes unless the bare matrix is larger."""
        for detail in DETAILS:
            text = self._encode(detail, len(self.results))
            if len(text) <= most:
                self.left_out = self._left_out(detail)
                return text
        count = len(self.results)
        while len(text) > most and count:
            count = count // 2
            text = self._encode(DETAILS[-1], count)
        self.left_out = (f"To keep this page under {LIMIT // 1_000_000} MB, only failures among the first {count:,} "
                         "vectors are shown in detail. report.jsonl has all.")
        return text

    @staticmethod
    def _left_out(detail):
        if detail is DETAILS[0]:
            return ""
        return (f"To keep this page under {LIMIT // 1_000_000} MB, less is shown of each failure: {detail.context} of "
                f"{DETAILS[0].context} lines of bytes on either side, at most {detail.differences} differences and "
                f"{detail.stderr} characters of standard error. report.jsonl has all.")

    def _encode(self, detail, count):
        texts = _Texts()
        data = {"verdicts": [verdict._asdict() for verdict in VERDICT_TABLE],
                "rules": {rule: self.tables.rules.get(rule, "") for rule in sorted({r["rule"] for r in self.results})},
                "columns": columns.labels(),
                "vectors": [self._vector(result, texts) for result in self.results],
                "details": {number: self._detail(result, detail, texts)
                            for number, result in enumerate(self.results[:count]) if result["verdict"] != "pass"}}
        data["texts"] = list(texts.numbers)
        text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
        return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")

    def _vector(self, result, texts):
        vector = self.description(result)
        flags = "\n".join(f"{flag}: {reason}" for flag, reason in vector.get("flags", {}).items())
        statement = vector.get("statement", "")
        return [result["id"], texts(result["group"]), texts(result["rule"]), texts(result["level"]),
                texts(result["expected"]), _ORDER[result["verdict"]], shorten(result["title"], 300),
                vector.get("recipe", ""), vector.get("place", ""), texts(clean(vector.get("source", ""))),
                texts(clean(flags, "\n")), texts(clean(statement)), texts(clean(result.get("known") or "")),
                *(texts(clean(text)) for _, text in columns.labelled(result))]

    def _detail(self, result, detail, texts):
        differences = result.get("differences") or []
        shown = {"detail": texts(shorten(result.get("detail") or "", detail.value)),
                 "command": texts(clean(result.get("command") or "", "\n\t").replace(result["id"], "\0")),
                 "differences": [self._difference(one, detail, texts) for one in differences[:detail.differences]]}
        if len(differences) > detail.differences:
            shown["more"] = len(differences) - detail.differences
        if result.get("stderr"):
            shown["stderr"] = texts(clean(head_and_tail(str(result["stderr"]), detail.stderr), "\n\t"))
        if result["verdict"] in FAILURES:
            self._bytes(shown, result, detail, texts)
        return shown

    @staticmethod
    def _difference(one, detail, texts):
        expected, actual = beside(one.get("expected"), one.get("actual"), detail.value)
        plain = [one.get(key) for key in ("record", "index", "field", "offset", "space")]
        return [texts("" if value is None else shorten(value, 100)) for value in plain] + \
            [text if text is None else texts(text) for text in (expected, actual)]

    def _annotated(self, id_, vector):
        if id_ not in self.annotated:
            self.annotated[id_] = byte_windows.Annotated(vector, self.vectors.image(id_), self.tables)
        return self.annotated[id_]

    def _bytes(self, shown, result, detail, texts):
        """Adds windows of bytes around the places of interest, or why there are none."""
        vector = self.description(result)
        try:
            annotated = self._annotated(result["id"], vector)
        except (KeyError, OSError, Failure) as error:
            shown["no_bytes"] = f"The vector's file is not available: {clean(error)}"
            return
        windows = annotated.windows(byte_windows.marks_of(vector, result, annotated), detail.context)
        for window in windows:
            window["spans"] = texts(";".join(f"{size},{texts(kind)},{texts(owner)},{texts(member)},{int(cut)}"
                                             for size, kind, owner, member, cut in window["spans"]))
            for mark in window["marks"]:
                mark[3] = texts(mark[3])
        if windows:
            shown["windows"] = windows
        else:
            shown["no_bytes"] = "Neither the vector nor the parser's answer has an offset in the file."


def _chips(counts):
    return "".join(
        f'<button type="button" class="chip" data-verdict="{verdict.name}" aria-pressed="false" title="{verdict.text}">'
        f"{key(verdict)}{verdict.name} <b>{thousands(counts[verdict.name])}</b></button>"
        for verdict in VERDICT_TABLE if counts[verdict.name])


def _plain_name(run):
    parser = run.get("parser") or {}
    return f"{parser.get('name') or 'parser'} {parser.get('version') or ''}".rstrip()


def _head(run, results, summary, counts):
    passed, applicable = columns.score(results)
    failed = sum(count for name, count in counts.items() if name in FAILURES)
    return f"""<header>
<p class="kicker">etlproof conformance report</p>
<div class="top"><h1>{parser_heading(run)}</h1>
<p class="score">{score(passed, applicable)}</p></div>
{bar(counts, counts_text(counts))}
<p class="facts">{run_facts(run, summary, results)}</p>
{_good_news(failed, counts, applicable)}{_notes(summary)}</header>"""


def _good_news(failed, counts, applicable):
    if failed or not applicable:
        return ""
    apart = [f"{thousands(counts[name])} {text}" for name, text in
             (("unsupported", "about what this parser does not report"), ("skip", "skipped")) if counts[name]]
    tail = f"Not judged: {', '.join(apart)}." if apart else f"All {thousands(applicable)} files were read as expected."
    return f'<p class="good"><span aria-hidden="true">✓</span><span><strong>No failures.</strong> {tail}</span></p>'


def _notes(summary):
    summary = summary or {}
    notes = []
    if summary.get("unexpected"):
        notes.append(f"{thousands(summary['unexpected'])} failures are not in the list of known failures.")
    if summary.get("stale"):
        stale = ", ".join(entry if isinstance(entry, str) else json.dumps(entry) for entry in summary["stale"])
        notes.append(f"Known failures that no longer fail: {stale}")
    return "".join(f'<p class="note">{escape(note)}</p>' for note in notes)


def _options(values):
    return "".join(f'<option value="{escape(value)}">{escape(value)}</option>' for value in values)


def _filters(results, counts):
    groups = list(dict.fromkeys(result["group"] for result in results))
    levels = sorted({result["level"] for result in results})
    return f"""<form id="filters" role="search" aria-label="Filter the vectors">
<div class="chips" role="group" aria-label="Verdicts">{_chips(counts)}</div>
<div class="fields">
<label>Group <select id="group"><option value="">all</option>{_options(groups)}</select></label>
<label>Level <select id="level"><option value="">all</option>{_options(levels)}</select></label>
<label class="grow">Find
<input id="find" type="search" placeholder="id, rule or title" autocomplete="off" spellcheck="false"></label>
<button type="button" id="clear" class="plain" hidden>Clear</button>
<output id="shown" aria-live="polite">{thousands(len(results))} vectors</output>
</div></form>"""


def _cell(number, result):
    verdict = VERDICT_TABLE[_ORDER[result["verdict"]]]
    known = " known" if result.get("known") else ""
    label = escape(f"{result['id']}: {verdict.name}{known}")
    return (f'<button type="button" class="c v-{verdict.name}{known}" data-n="{number}" aria-label="{label}">'
            f"{verdict.letter}</button>")


def _row(group, cells):
    counts = counts_of([result for _, result in cells])
    name = escape(group)
    passed, applicable = columns.score([result for _, result in cells])
    of = columns.score_text(passed, applicable)
    return f"""<section class="row" data-group="{name}" aria-label="{name}: {of}">
<div class="side">
<h2><button type="button" class="plain" data-only="{name}" title="Show only this group">{name}</button></h2>
<span class="of" title="{of}">{thousands(passed)}<i>/</i>{thousands(applicable)}</span>{bar(counts, of)}</div>
<div class="cells">{"".join(_cell(number, result) for number, result in cells)}</div>
</section>"""


def _matrix(results):
    rows = {}
    for number, result in enumerate(results):
        rows.setdefault(result["group"], []).append((number, result))
    body = "\n".join(_row(group, cells) for group, cells in rows.items())
    return f"""<main id="matrix" aria-label="One cell for each vector">
{body}
<p id="none" hidden>No vector matches.</p></main>"""


def _rules(results, statements):
    """The table of broken rules, those with most failures first."""
    broken, rules = broken_rules(results)
    if not broken:
        return ""
    lines = "".join(_rule(rule, failed, total, statements.get(rule, "")) for rule, failed, total in broken)
    return f"""<section class="rules"><h2>Broken rules <span>{len(broken)} of {rules}</span></h2>
<table><thead><tr><th>Rule</th><th>Failing</th><th>Verdicts</th><th>Statement</th></tr></thead>
<tbody>{lines}</tbody></table></section>"""


def _rule(rule, failed, total, statement):
    name = escape(rule)
    button = f'<button type="button" class="plain" data-rule="{name}" title="Show its vectors">{name}</button>'
    return (f"<tr><td>{button}</td>"
            f"<td class=\"num\">{len(failed)} of {total}</td><td>{failures_how(counts_of(failed))}</td>"
            f"<td>{escape(statement)}</td></tr>")


def _foot(run, left_out):
    policy = run.get("policy") or {}
    rows = [("Command", " ".join(str(word) for word in run.get("command") or [])), ("Vectors", run.get("golden")),
            ("Policy", ", ".join(f"{flag} = {value}" for flag, value in policy.items()))]
    facts = "".join(f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in rows if value)
    note = f'<p class="note" id="left-out">{escape(left_out)}</p>' if left_out else ""
    return f"""<footer>{note}<dl>{facts}</dl>
<p>Arrow keys move between cells, Enter opens a cell, Esc closes it. The page's address has the filters.</p></footer>"""


def write(run, results, summary, vectors):
    """The page as text. `run`, `results`, `summary` are the lines of report.jsonl; `summary` is None if the run was cut
    short. `vectors` has description(id), the dictionary of a vector's JSON, and image(id), the bytes of its file. Both
    raise KeyError for a vector that is gone, and image may raise Failure or OSError."""
    results = list(results)
    counts = counts_of(results)
    page = _Page(results, vectors)
    style, script = "".join(map(asset, STYLES)), asset("report.js")
    title = f"{_plain_name(run)}: {columns.score_text(*columns.score(results))} · etlproof conformance"
    parts = [_head(run, results, summary, counts), _filters(results, counts), _matrix(results),
             _rules(results, page.tables.rules)]
    bare = document(title, style, script, "\n".join([*parts, _foot(run, ""), _end("")]))
    data = page.data(LIMIT - len(bare.encode("utf-8")) - NOTE)
    return document(title, style, script, "\n".join([*parts, _foot(run, page.left_out), _end(data)]))


def _end(data):
    return f"""<noscript>
<p class="note">Filters and details need JavaScript; report.jsonl has the same data.</p></noscript>
<div id="tip" role="tooltip" hidden></div>
<script type="application/json" id="data">{data}</script>"""
