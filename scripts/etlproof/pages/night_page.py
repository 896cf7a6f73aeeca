# SPDX-License-Identifier: Apache-2.0
"""The page of a night: what an engineer opens in the morning. report.json holds all that it shows."""
import os
import re

from runner.html_page import percent, thousands
from . import bucket_page, charts, unreached_page
from .causes import RED
from .templates import write_page
from .wording import LEVELS, say_count, say_seconds, say_time, smallest_of

SIGNS = {"nothing-new": "✓", "new": "!", "broken": "✕", "interrupted": "…"}
WORDS = {"nothing-new": "nothing new", "new": "something new", "broken": "broken", "interrupted": "interrupted"}
ABOUT = {"new": "first seen in this run", "regressed": "fixed before this run, and back in it",
         "flaky": "seen before this run, and failed only in some tries of it", "known": "seen before this run, and in it",
         "fixed": "no longer fails", "untried": "seen before this run, and not run in it"}
# States that are mentioned only if there is a bucket in one.
RARE = ("regressed", "flaky")
# Phases whose problems are likely consequences of a red bucket.
FOLLOW = ("conformance", "coverage", "triage")
HEADS = {"new": "New bug", "regressed": "Bug back after it was fixed"}
UNITS = ((3600, "hours"), (60, "minutes"), (1, "seconds"))
BESIDE = (("report.json", "report.json, the data of this page"),
          ("report.sarif", "report.sarif, the buckets for code-scanning views"))
FOLDED = 20  # buckets that need no attention: if there are more, they are folded


def write(report, path, buckets=None, runs=None):
    """Writes the page of a report, and the pages of its buckets again: only now is it known which are new, known or fixed.
    `buckets` is the folder with those of the buckets, named by their ids; `runs` that of runs, named by their numbers; by
    default "buckets" and "runs" beside the page. A link leads only to a file that exists when the page is written."""
    folder = os.path.dirname(path)
    buckets, runs = buckets or os.path.join(folder, "buckets"), runs or os.path.join(folder, "runs")
    for each in report["buckets"]:
        if os.path.isdir(os.path.join(buckets, each["id"])):
            bucket_page.write(each, os.path.join(buckets, each["id"], bucket_page.NAME))
    coverage = report["coverage"]
    following = follow(report["problems"], report["causes"])
    drawn = [past for past in report["history"] if past["is_comparable"]]
    write_page(
        path, f"{WORDS[report['verdict']]} · etlproof nightly, run {report['run']}", "night_page.html.j2",
        report=report, headline=headline(report), causes=list(_causes(report)), red=RED,
        ids_of_causes={cause["bucket"] for cause in report["causes"]}, follows_night=following,
        problems=[problem for problem in report["problems"] if problem not in following],
        sign=SIGNS[report["verdict"]], about=ABOUT, counts=_counts(report["buckets"]), folded=FOLDED,
        ran=any(target["executions"] for target in report["targets"]), is_sorted=_is_sorted(report),
        commit=_short(report["commit"]), span=_span(report["begun"], report["ended"]), places=_places(report["buckets"]),
        unreached_file=coverage and coverage["html"] and os.path.join(folder, unreached_page.NAME),
        coverage_file=coverage and coverage["html"] and os.path.join(folder, coverage["html"]),
        executions=_millions(sum(target["executions"] for target in report["targets"])),
        processor_seconds=sum(target["processor_seconds"] for target in report["targets"]),
        by_status=[(status, words, _worst_first(report["buckets"], status)) for status, words in ABOUT.items()
                   if _counts(report["buckets"])[status] or status not in RARE],
        smallest_of=smallest_of, page_of_bucket=lambda bucket: os.path.join(buckets, bucket["id"], bucket_page.NAME),
        page_of_run=lambda run: os.path.join(runs, str(run), os.path.basename(path)),
        history_notes=list(_history_notes(report["history"], drawn, report["run"])) if report["history"] else [],
        charts=_charts(drawn) if drawn else [], trends=list(_trends(report["targets"])),
        progress=_progress(report["plan"], report["budget_seconds"]), plan_lists=list(_plan_lists(report["plan"])),
        targets=_targets(report["targets"]), below=sum(map(_is_below, report["targets"])),
        phases=_phases(report["phases"]),
        beside=[(file, words) for file, words in ((os.path.join(folder, name), words) for name, words in BESIDE)
                if os.path.exists(file)])


def headline(report):
    """The bug, if there is a red one: that is what a person wants to know first."""
    if not report["causes"]:
        return report["sentence"]
    first = report["causes"][0]
    return f"{HEADS[first['status']]}: {first['sentence']}"


def follow(problems, causes):
    """The problems that are likely consequences of the first cause."""
    return [problem for problem in problems if causes and problem["phase"] in FOLLOW]


def _causes(report):
    by_id = {bucket["id"]: bucket for bucket in report["buckets"]}
    for cause in report["causes"]:
        yield {"bucket": by_id[cause["bucket"]], "sentence": cause["sentence"],
               "consequences": [(by_id[one["bucket"]], one["why"]) for one in cause["consequences"]]}


def _places(buckets):
    """Links to the parts of the page, which is long in a night with many buckets."""
    statuses = [(status, f"{status.capitalize()} {count}") for status, count in _counts(buckets).items()
                if count or status not in RARE]
    return [*(statuses if buckets else [("buckets", "Buckets")]), ("history", "Last runs"), ("targets", "Targets"),
            ("phases", "Phases")]


def _progress(plan, budget):
    """How much of the plan ran, as facts."""
    return [f"{say_seconds(plan['fuzzed_seconds'])} of {say_seconds(budget)} fuzzed",
            f"{thousands(plan['ran'])} of {say_count(plan['planned'], 'planned configuration')} ran"]


def _plan_lists(plan):
    """(heading, target and configurations) of the configurations that the reader may miss."""
    for name, words in (("missed", "planned, and not run"), ("never", "without a slot in any run so far")):
        by_target = {}
        for one in plan[name]:
            by_target.setdefault(one["target"], []).append(one["configuration"])
        if by_target:
            yield f"{say_count(len(plan[name]), 'configuration')} {words}", sorted(by_target.items())


def _short(commit):
    """The commit hash, shortened; a suffix such as -dirty stays."""
    return commit and re.sub(r"^([0-9a-f]{12})[0-9a-f]+", r"\1", commit)


def _span(begun, ended):
    same_day = begun[:10] == ended[:10]
    return f"{say_time(begun)[:-4]} to {say_time(ended)[11:] if same_day else say_time(ended)}"


def _counts(buckets):
    return {status: sum(bucket["status"] == status for bucket in buckets) for status in ABOUT}


def _is_sorted(report):
    """Whether the failures were sorted into buckets."""
    return any(phase["name"] == "triage" and phase["outcome"] == "done" for phase in report["phases"])


def _millions(value):
    return f"{value / 1e6:,.1f} M" if value >= 1e6 else thousands(value)


def _worst_first(buckets, status):
    return sorted((bucket for bucket in buckets if bucket["status"] == status),
                  key=lambda bucket: (LEVELS.index(bucket["severity"]["level"]), bucket["title"], bucket["id"]))


def _history_notes(history, drawn, run):
    if history[-1]["run"] != run:
        yield f"This run, {run}, ended before fuzzing: the last run drawn is {history[-1]['run']}."
    elif len(history) == 1:
        yield "The first night: there is nothing to compare it with yet."
    if others := len(history) - len(drawn):
        yield f"{say_count(others, 'run')} of other targets {'is' if others == 1 else 'are'} in the table, and not drawn."
    if len(drawn) > charts.MOST:
        yield f"The last {charts.MOST} of {len(drawn)} runs are drawn."


def _points(history, values):
    return [charts.Point(past["run"], past["begun"], value, past["new"]) for past, value in zip(history, values)]


def _charts(history):
    """Trends of runs of the same targets."""
    speeds = [round(past["executions"] / past["processor_seconds"]) if past["processor_seconds"] else None
              for past in history]

    def of(name):
        return _points(history, [past[name] for past in history])

    return [charts.line("Coverage, regions", of("regions"), "regions"),
            charts.line("Executions per second of processor time", _points(history, speeds), "per second"),
            charts.line("Corpus, inputs", of("corpus"), "inputs"),
            charts.columns("Buckets that fail", of("failing"), "failing"),
            _time_chart("Time without a finding, least of the targets", history, "clean_seconds"),
            _time_chart("Processor time", history, "processor_seconds")]


def _unit(values):
    """(seconds, name) of the unit of time in which the greatest value is at least 2."""
    most = max((value or 0 for value in values), default=0)
    return next((unit for unit in UNITS if most >= 2 * unit[0]), UNITS[-1])


def _time_chart(heading, history, key):
    values = [past[key] for past in history]
    size, name = _unit(values)
    return charts.columns(f"{heading}, {name}", _points(history, [None if value is None else value / size
                                                                  for value in values]), name,
                          say=lambda value: f"{value:,.1f}")


def _trends(targets):
    """The lines of each target that was fuzzed in several runs, all in one unit of time."""
    drawn = sorted((target for target in targets if len(target["trend"]) > 1), key=lambda target: target["target"])
    size, unit = _unit([past["clean_seconds"] for target in drawn for past in target["trend"]])
    for target in drawn:
        def line(words, key, name, say=_whole, part=1, name_of=target["target"], past=target["trend"]):
            values = [one[key] if one[key] is None else one[key] / part for one in past]
            points = [charts.Point(one["run"], "", value, 0) for one, value in zip(past, values)]
            return charts.spark(f"{name_of}, {words}", points, name, say)

        yield {"target": target["target"], "runs": len(target["trend"]), "unit": unit,
               "speed": line("executions", "speed", "per second"), "regions": line("coverage", "regions", "regions"),
               "corpus": line("corpus", "corpus", "inputs"),
               "clean": line("time without a finding", "clean_seconds", unit, lambda value: f"{value:,.1f}", size)}


def _whole(value):
    return thousands(round(value))


def _is_below(target):
    return target["floor"] is not None and target["regions"] is not None and target["regions"] < target["floor"]


def _targets(targets):
    """The targets, those below their floor first."""
    ordered = sorted(targets, key=lambda target: (not _is_below(target), target["target"]))
    return [{**target, "is_below": _is_below(target), "speed": _speed(target), "share": _share(target)}
            for target in ordered]


def _speed(target):
    seconds = target["processor_seconds"]
    return f"{target['executions'] / seconds:,.0f}" if seconds else "–"


def _share(target):
    regions, of = target["regions"], target["of"]
    if regions is None or not of:
        return None
    return charts.share(regions, of, target["floor"],
                        f"{percent(regions, of)}, {thousands(regions)} of {thousands(of)} regions")


def _phases(phases):
    longest = max((phase["seconds"] for phase in phases), default=0)
    return [{**phase, "share": charts.share(phase["seconds"], longest, None, say_seconds(phase["seconds"]))}
            for phase in phases]
