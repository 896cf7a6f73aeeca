# SPDX-License-Identifier: Apache-2.0
"""The report as JUnit XML: a suite for each group, a case for each vector. Known failures and the verdicts skip and
unsupported are `skipped`; crash, hang and oom are `error`."""
from xml.sax.saxutils import escape, quoteattr

from . import columns
from .columns import FAILURES
from .html_page import clean
from .report_text import parser_name
from .verdict import difference_text

_ERRORS = ("crash", "hang", "oom")


def _clean(text):
    """Without the characters that XML does not have, and those that change how others are shown."""
    return clean(text, "\n\t")


def _attributes(**values):
    return "".join(f" {name}={quoteattr(_clean(value))}" for name, value in values.items())


def _element(result):
    """The element inside a case that did not pass: (name, message); None for a pass."""
    verdict = result["verdict"]
    if verdict == "pass":
        return None
    if result["known"]:
        return "skipped", f"known {verdict}: {result['known']}"
    if verdict not in FAILURES:
        return "skipped", f"{verdict}: {result['detail']}"
    return "error" if verdict in _ERRORS else "failure", f"{verdict}: {result['detail']}"


def _case(result):
    head = "    <testcase" + _attributes(classname=f"{result['group']}.{result['rule']}", name=result["id"],
                                         time=f"{result['seconds']:.6f}")
    element = _element(result)
    if element is None:
        return head + "/>"
    name, message = element
    lines = [result["title"], *columns.lines(result), *map(difference_text, result["differences"]),
             result["command"], result.get("stderr", "")]
    kind = "" if name == "skipped" else _attributes(type=result["verdict"])
    text = escape(_clean("\n".join(lines).strip()))
    return f"{head}>\n      <{name}{_attributes(message=message)}{kind}>{text}</{name}>\n    </testcase>"


def _score(results):
    """The score as properties of a suite."""
    passed, applicable = columns.score(results)
    properties = (f"<property{_attributes(name=name, value=value)}/>"
                  for name, value in (("passed", passed), ("applicable", applicable)))
    return f"    <properties>{''.join(properties)}</properties>"


def _totals(results):
    elements = [_element(result) for result in results]
    counts = {name: sum(element is not None and element[0] == kind for element in elements)
              for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))}
    return _attributes(tests=len(results), **counts, time=f"{sum(result['seconds'] for result in results):.6f}")


def _stale_suite(summary):
    """Stale entries of known failures, as failed cases, because they make the run fail."""
    stale = summary["stale"]
    if not stale:
        return []
    cases = [f"    <testcase{_attributes(classname='known', name=entry)}>\n"
             f"      <failure{_attributes(message='known failure that no longer fails', type='stale')}/>\n"
             "    </testcase>"
             for entry in stale]
    counts = _attributes(name="known failures", tests=len(stale), failures=len(stale), errors=0, skipped=0)
    return [f"  <testsuite{counts}>", *cases, "  </testsuite>"]


def write(run, results, summary, _vectors):
    groups = {}
    for result in results:
        groups.setdefault(result["group"], []).append(result)
    name = f"{parser_name(run)}: {columns.score_text(*columns.score(results))}"
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{_attributes(name=name)}>"]
    for group, members in groups.items():
        head = _attributes(name=group, timestamp=run["started"].rstrip("Z"))
        lines += [f"  <testsuite{head}{_totals(members)}>", _score(members), *map(_case, members), "  </testsuite>"]
    return "\n".join([*lines, *_stale_suite(summary), "</testsuites>"]) + "\n"
