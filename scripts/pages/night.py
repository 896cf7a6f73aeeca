# SPDX-License-Identifier: Apache-2.0
"""The page of a night: what an engineer opens in the morning, made of report.json alone."""
import os
import re

from runner.html_page import percent

from . import bucket as bucket_page
from . import charts
from .parts import (LEVELS, chip, date, escape, facts, is_flaky, kind_text, link, say_count, say_seconds, say_size,
                    say_time, severity_chip, smallest_of, subject_text, table, thousands, write_page)

SIGNS = {"nothing-new": "✓", "new": "!", "broken": "✕"}
WORDS = {"nothing-new": "nothing new", "new": "something new", "broken": "broken"}
ABOUT = {"new": "first seen in this run", "known": "seen before this run, and in it", "fixed": "no longer fails",
         "untried": "seen before this run, and not run in it"}
UNITS = ((3600, "hours"), (60, "minutes"), (1, "seconds"))
TERMS = ("A bucket is a set of failures that are one bug. Clean processor time counts what a target was fuzzed, in each of "
         "its builds, since it last failed. Executions are per second of processor time.")
BESIDE = (("report.json", "report.json, all of this as data"),
          ("report.sarif", "report.sarif, the buckets for code-scanning views"))
FOLDED = 20  # buckets of a kind that need no attention: more are folded away


def write(report, path, buckets=None, runs=None):
    """`report` is what report.json holds. `buckets` is the folder with those of its buckets, named by their ids, `runs`
    that with those of runs, named by their numbers: "buckets" and "runs" beside the page unless told otherwise. The pages
    of its buckets are written again: what is new, known or fixed is known only now. A link leads only to what is there
    when the page is written."""
    buckets = buckets or os.path.join(os.path.dirname(path), "buckets")
    runs = runs or os.path.join(os.path.dirname(path), "runs")
    for each in report["buckets"]:
        if os.path.isdir(os.path.join(buckets, each["id"])):
            bucket_page.write(each, os.path.join(buckets, each["id"], bucket_page.NAME))
    body = [_head(report), _problems(report["problems"]), _tiles(report, path), _buckets(report, path, buckets),
            _history(report["history"], report["run"], path, runs), _targets(report["targets"]), _phases(report["phases"]),
            _foot(path)]
    write_page(path, f"{WORDS[report['verdict']]} · etlproof nightly, run {report['run']}", "\n".join(body))


def _head(report):
    resumed = f"killed and resumed {say_count(report['resumed'], 'time')}" if report["resumed"] else None
    commit = f'commit <span class="mono">{escape(_short(report["commit"]))}</span>' if report["commit"] else None
    when = [_span(report["begun"], report["ended"]), f"budget {say_seconds(report['budget_seconds'])}", resumed, commit]
    return f"""<header>
<p class="kicker">etlproof nightly, run {report["run"]}</p>
<div class="verdict is-{report["verdict"]}"><span aria-hidden="true">{SIGNS[report["verdict"]]}</span>
<h1>{escape(report["sentence"])}</h1></div>
{facts(when)}{_contents(report["buckets"])}</header>"""


def _contents(buckets):
    """Where to go: a night with many buckets is a long page."""
    statuses = [(status, f"{status.capitalize()} {count}") for status, count in _counts(buckets).items()]
    places = [*(statuses if buckets else [("buckets", "Buckets")]), ("history", "Last runs"), ("targets", "Targets"),
              ("phases", "Phases")]
    return '<nav aria-label="On this page">' + "".join(f'<a href="#{id_}">{text}</a>' for id_, text in places) + "</nav>"


def _short(commit):
    """What is told of the tree besides its hash, such as -dirty, stays."""
    return re.sub(r"^([0-9a-f]{12})[0-9a-f]+", r"\1", commit)


def _span(begun, ended):
    same_day = begun[:10] == ended[:10]
    return f"{say_time(begun)[:-4]} to {say_time(ended)[11:] if same_day else say_time(ended)}"


def _problems(problems):
    if not problems:
        return ""
    rows = "".join(f'<li><b>{escape(problem["phase"])}</b><pre tabindex="0">{escape(problem["text"], chr(10))}</pre></li>'
                   for problem in problems)
    return (f'<section id="problems" class="problems" role="alert"><h2>{say_count(len(problems), "problem")} '
            f"<span>of the night itself: what follows may be incomplete</span></h2><ul>{rows}</ul></section>")


def _ran(targets):
    return any(target["executions"] for target in targets)


def _counts(buckets):
    return {status: sum(bucket["status"] == status for bucket in buckets) for status in ABOUT}


def _tile(name, value, text, bad=False):
    return (f'<div class="tile{" bad" if bad else ""}"><p class="name">{name}</p><p class="value">{value}</p>'
            f'<p class="text">{text}</p></div>')


def _tiles(report, path):
    tiles = [_bucket_tile(report), _coverage_tile(report["coverage"], path),
             _executions_tile(report["targets"]), _corpus_tile(report["corpus"]), _conformance_tile(report["conformance"]),
             _regressions_tile(report["regressions"])]
    return f'<section class="tiles" aria-label="In figures">{"".join(tiles)}</section>'


def _is_sorted(report):
    """Whether it is known what failed."""
    return any(phase["name"] == "triage" and phase["outcome"] == "done" for phase in report["phases"])


def _bucket_tile(report):
    of = _counts(report["buckets"])
    if not of["new"] and not _ran(report["targets"]):
        return _tile("New buckets", "–", "no target ran")
    if not _is_sorted(report):
        return _tile("New buckets", "–", "not known")
    others = ", ".join(f"{of[status]} {status}" for status in ABOUT if status != "new")
    return _tile("New buckets", thousands(of["new"]), others, of["new"] > 0)


def _coverage_tile(coverage, path):
    if not coverage:
        return _tile("Coverage", "–", "not measured")
    grown = ""
    if coverage["before"] is not None:
        by = coverage["regions"] - coverage["before"]
        grown = f", {say_count(abs(by), 'region')} {'more' if by > 0 else 'fewer'}" if by else ", as many as before"
    text = f"{thousands(coverage['regions'])} of {thousands(coverage['of'])} regions{grown}"
    if coverage["html"]:
        text += "<br>" + link(os.path.join(os.path.dirname(path), coverage["html"]), path, "line by line")
    fewer = coverage["before"] is not None and coverage["regions"] < coverage["before"]
    return _tile("Coverage", percent(coverage["regions"], coverage["of"]), text, fewer)


def _executions_tile(targets):
    executions = sum(target["executions"] for target in targets)
    seconds = sum(target["processor_seconds"] for target in targets)
    return _tile("Executions", _millions(executions), f"in {say_seconds(seconds)} of processor time, "
                 f"{say_count(len(targets), 'target')}")


def _millions(value):
    return f"{value / 1e6:,.1f} M" if value >= 1e6 else thousands(value)


def _corpus_tile(corpus):
    if not corpus:
        return _tile("Corpus", "–", "not looked at")
    lost = f"<strong>{thousands(corpus['lost'])} lost</strong>" if corpus["lost"] else "none lost"
    return _tile("Corpus", thousands(corpus["after"]), f"inputs, {thousands(corpus['before'])} before, {lost}",
                 corpus["lost"] > 0)


def _conformance_tile(conformance):
    if not conformance or not conformance["vectors"]:
        return _tile("Conformance", "–", "not run")
    failed = conformance["vectors"] - conformance["passed"]
    told = f"<strong>{thousands(failed)} fail</strong>" if failed else "all pass"
    return _tile("Conformance", percent(conformance["passed"], conformance["vectors"]),
                 f"of {say_count(conformance['vectors'], 'vector')}, {told}", failed > 0)


def _regressions_tile(regressions):
    if not regressions or not regressions["replayed"]:
        return _tile("Regressions", "–", "none replayed")
    failed = regressions["failed"]
    told = f"<strong>{thousands(failed)} fail again</strong>" if failed else "none fails again"
    return _tile("Regressions", thousands(regressions["replayed"]), f"replayed, {told}", failed > 0)


def _buckets(report, path, folder):
    buckets = report["buckets"]
    if not buckets:
        told = "None: nothing is known to fail." if _is_sorted(report) else "Not known: triage did not come to its end."
        return f'<section id="buckets"><h2>Buckets</h2><p class="none">{told}</p></section>'
    return "\n".join(_status(status, [bucket for bucket in buckets if bucket["status"] == status], path, folder)
                     for status in ABOUT)


def _status(status, buckets, path, folder):
    """New ones are always open; of the others, many are folded."""
    heading = f"<h2>{status.capitalize()} <span>{thousands(len(buckets))}, {ABOUT[status]}</span></h2>"
    if not buckets:
        return f'<section id="{status}" class="buckets">{heading}<p class="none">No bucket.</p></section>'
    buckets = sorted(buckets, key=lambda bucket: (LEVELS.index(bucket["severity"]["level"]), bucket["title"], bucket["id"]))
    rows = table([(_bucket_cells(bucket, path, folder), "bucket") for bucket in buckets], "buckets-table")
    if status == "new":
        return f'<section id="{status}" class="buckets">{heading}{rows}</section>'
    opened = " open" if len(buckets) <= FOLDED else ""
    return (f'<section id="{status}" class="buckets"><details{opened}><summary>{heading}</summary>{rows}</details>'
            "</section>")


def _bucket_cells(bucket, path, folder):
    flaky = chip(f"flaky: failed {bucket['failed']} of {bucket['runs']} runs", "is-flaky") if is_flaky(bucket) else ""
    title = link(os.path.join(folder, bucket["id"], bucket_page.NAME), path, bucket["title"], "title")
    return [("Severity", severity_chip(bucket["severity"])),
            ("Bucket", f'{title} {flaky}<p class="why">{escape(bucket["severity"]["why"])}</p>'
                       f'<p class="id mono">{escape(bucket["id"])}</p>'),
            ("Kind", escape(kind_text(bucket))),
            ("Target", escape(subject_text(bucket))),
            ("First seen", date(bucket["first_seen"])),
            ("Last seen", date(bucket["last_seen"])),
            ("Smallest", _smallest(bucket, path))]


def _smallest(bucket, path):
    """The reproducer: the smallest there is."""
    smallest = smallest_of(bucket)
    if not smallest:
        return '<span class="dim">no input</span>'
    told = f"from {thousands(smallest['from'])}" if bucket["smallest"] else "not minimised"
    return f'{link(smallest["path"], path, say_size(smallest["size"]))}<p class="dim">{told}</p>'


def _history_notes(history, run):
    if history[-1]["run"] != run:
        yield f"Run {run}, this one, did not get as far as fuzzing: the last drawn is run {history[-1]['run']}."
    elif len(history) == 1:
        yield "The first night: there is nothing to compare it with yet."
    if len(history) > charts.MOST:
        yield f"The last {charts.MOST} of {len(history)} runs are drawn."


def _history(history, run, path, runs):
    heading = "<h2>Over the last runs</h2>"
    if not history:
        return f'<section id="history">{heading}<p class="none">No run has fuzzed yet: nothing to draw.</p></section>'
    notes = "".join(f'<p class="note">{note}</p>' for note in _history_notes(history, run))
    legend = '<p class="legend"><i></i>a run that found a new bucket</p>' if any(past["new"] for past in history) else ""
    return (f'<section id="history">{heading}{notes}<div class="charts">{"".join(_charts(history))}</div>{legend}'
            f"<details><summary>The same as numbers</summary>{_figures(history, path, runs)}</details></section>")


def _points(history, values):
    return [charts.Point(past["run"], past["begun"], value, past["new"]) for past, value in zip(history, values)]


def _charts(history):
    seconds = [past["processor_seconds"] for past in history]
    size, name = next((unit for unit in UNITS if max(seconds) >= 2 * unit[0]), UNITS[-1])
    return [charts.line("Coverage, regions", _points(history, [past["regions"] for past in history]), "regions"),
            charts.columns("Executions", _points(history, [past["executions"] for past in history]), "executions"),
            charts.columns(f"Processor time, {name}", _points(history, [each / size for each in seconds]), name,
                           say=lambda value: f"{value:,.1f}")]


def _figures(history, path, runs):
    def known(value):
        return "not measured" if value is None else thousands(value)

    def page_of(run):
        page = os.path.join(runs, str(run), os.path.basename(path))
        return link(page, path, str(run)) if os.path.exists(page) else str(run)
    return table([([("Run", page_of(past["run"])), ("Begun", escape(say_time(past["begun"]))),
                    ("Regions", known(past["regions"])), ("Edges", known(past["edges"])),
                    ("Executions", thousands(past["executions"])),
                    ("Processor time", say_seconds(past["processor_seconds"])),
                    ("New buckets", thousands(past["new"]))], "") for past in reversed(history)], "figures")


def _is_below(target):
    return target["floor"] is not None and target["regions"] is not None and target["regions"] < target["floor"]


def _targets(targets):
    heading = "<h2>Targets</h2>"
    if not _ran(targets):
        return f'<section id="targets">{heading}<p class="none">No target ran.</p></section>'
    below = [target for target in targets if _is_below(target)]
    if below:
        heading = f'<h2>Targets <span class="bad">{thousands(len(below))} of {len(targets)} below the floor</span></h2>'
    rows = [(_target_cells(target), "below" if _is_below(target) else "")
            for target in sorted(targets, key=lambda target: (not _is_below(target), target["target"]))]
    return f'<section id="targets">{heading}{table(rows, "targets")}</section>'


def _target_cells(target):
    seconds = target["processor_seconds"]
    speed = f"{target['executions'] / seconds:,.0f}" if seconds else "–"
    crashes = f"<strong>{thousands(target['crashes'])}</strong>" if target["crashes"] else "0"
    return [("Target", f'<b>{escape(target["target"])}</b>'),
            ("Coverage", _coverage(target)),
            ("Edges", _of(target["edges"], target["edges_total"])),
            ("Executions", thousands(target["executions"])),
            ("Processor time", say_seconds(seconds)),
            ("Executions/s", speed),
            ("Corpus", f'{thousands(target["corpus_before"])} → {thousands(target["corpus_after"])}'),
            ("Clean processor time", _clean(target["clean_processor_seconds"])),
            ("Crashes", crashes)]


def _of(part, whole):
    if part is None:
        return '<span class="dim">not known</span>'
    return thousands(part) if whole is None else f"{thousands(part)} of {thousands(whole)}"


def _coverage(target):
    regions, of, floor = target["regions"], target["of"], target["floor"]
    if regions is None or not of:
        return '<span class="dim">not measured</span>'
    share = f"{percent(regions, of)}, {thousands(regions)} of {thousands(of)} regions"
    if floor is None:
        told = "no floor yet"
    elif regions < floor:
        told = f"<strong>{thousands(floor - regions)} below its floor of {thousands(floor)}</strong>"
    else:
        told = f"floor {thousands(floor)}"
    return f'{charts.share(regions, of, floor, share)}<p>{share}</p><p class="dim">{told}</p>'


def _clean(clean):
    if not clean:
        return '<span class="dim">none yet</span>'
    return '<dl class="clean">' + "".join(f"<dt>{escape(preset)}</dt><dd>{say_seconds(seconds)}</dd>"
                                          for preset, seconds in sorted(clean.items())) + "</dl>"


def _phases(phases):
    heading = "<h2>Phases</h2>"
    if not phases:
        return f'<section id="phases">{heading}<p class="none">None was begun.</p></section>'
    longest = max(phase["seconds"] for phase in phases)
    rows = [(_phase_cells(phase, longest), "failed" if phase["outcome"] == "failed" else "") for phase in phases]
    return f'<section id="phases">{heading}{table(rows, "phases")}</section>'


def _phase_cells(phase, longest):
    took = say_seconds(phase["seconds"])
    return [("Phase", f'<b>{escape(phase["name"])}</b>'), ("Outcome", chip(phase["outcome"], f"is-{phase['outcome']}")),
            ("Time", f'<p>{took}</p>{charts.share(phase["seconds"], longest, None, took)}'),
            ("What it says", escape(phase["text"] or ""))]


def _foot(path):
    files = [(os.path.join(os.path.dirname(path), name), text) for name, text in BESIDE]
    beside = [link(file, path, text) for file, text in files if os.path.exists(file)]
    return f"<footer><p>{TERMS}</p>{facts(beside) if beside else ''}</footer>"
