# SPDX-License-Identifier: Apache-2.0
"""windows.html: what conformance/compare-tracerpt found of files that people with Windows decoded too."""
import json
import os

from ..failure import INPUT, Failure, read_bytes
from ..html_page import escape, thousands
from ..tracerpt.tracerpt_command import KIND
from .causes import json_files
from .frame import Links, more, page, section, table

TITLE = "Compared with Windows"
HEADS = ("File", "Recorded by Windows", "Events in both", "Messages", "Fields equal", "Differences")
_COUNT, _TEXT = "a number", "a text"
_MEMBERS = {"file": _TEXT, "bytes": _COUNT, "sha256": _TEXT, "windows": _TEXT, "etlproof": _TEXT, "events": _COUNT}
_COUNTS = {"messages": ("etlproof", "tracerpt"), "fields": ("same", "different", "apart")}


def load(folder):
    """The results in the folder, by the name of the trace. Raises Failure for a JSON file that holds no result."""
    results = [_load(os.path.join(folder, name)) for name in json_files(folder)]
    return sorted(results, key=lambda result: (result["file"], result["sha256"], result["etlproof"]))


def _load(path):
    try:
        result = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise Failure(INPUT, f"{path}: not a result of conformance/compare-tracerpt: {error}") from error
    wrong = next(_wrong(result), None) if isinstance(result, dict) else "no object"
    if wrong:
        raise Failure(INPUT, f"{path}: not a result of conformance/compare-tracerpt: {wrong}")
    return result


def _wrong(result):
    """Yields what is wrong, as schema/tracerpt.schema.json describes a result."""
    if (result.get("kind"), result.get("version")) != (KIND, 1):
        yield f'"kind" is not "{KIND}" of version 1'
    for name, kind in _MEMBERS.items():
        if not (_is_count(result.get(name)) if kind == _COUNT else isinstance(result.get(name), str)):
            yield f'"{name}" is not {kind}'
    for name, counts in _COUNTS.items():
        found = result.get(name)
        if not isinstance(found, dict) or not all(_is_count(found.get(count)) for count in counts):
            yield f'"{name}" has not the numbers {", ".join(counts)}'
    lists = result.get("differences")
    if not isinstance(lists, list) or not all(map(_is_list, lists)):
        yield '"differences" is not a list of titles, numbers and texts'


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_list(one):
    return (isinstance(one, dict) and isinstance(one.get("title"), str) and _is_count(one.get("count"))
            and isinstance(one.get("first"), list) and all(isinstance(text, str) for text in one["first"]))


def write(site):
    rows = "".join(_row(result, number) for number, result in enumerate(site.windows_results))
    body = f"""<header><h1>{TITLE}</h1>
<p class="lead">What Windows' own tracerpt printed of {_files(site)}, compared event by event with the decode of etlproof.
People with Windows sent these results. The traces are not part of this site; their SHA-256 says which they
are.</p></header>
{section("Files", table("files cards", HEADS, rows))}
{"".join(_differences(result, number) for number, result in enumerate(site.windows_results))}"""
    return page(TITLE, Links(site, ""), body)


def _files(site):
    count = len(site.windows_results)
    return "one file" if count == 1 else f"{count} files"


def _row(result, number):
    counts, messages = result["fields"], result["messages"]
    count = sum(one["count"] for one in result["differences"])
    apart = f"{thousands(counts['apart'])} not compared" if counts["apart"] else ""
    shown = f'<a href="#file-{number}">{thousands(count)}</a>' if count else "none"
    cells = ((escape(result["windows"] or "unknown"), escape(result["etlproof"])), (thousands(result["events"]), ""),
             (thousands(messages["tracerpt"]), f"{thousands(messages['etlproof'])} of etlproof"),
             (thousands(counts["same"]), apart), (shown, ""))
    row = "".join(f'<td class="alarm" data-label="{head}">{first}{small and f"<small>{small}</small>"}</td>'
                  for head, (first, small) in zip(HEADS[1:], cells))
    return f"""<tr><th scope="row">{escape(result["file"])}<small>{thousands(result["bytes"])} bytes,
SHA-256 <span class="mono">{escape(result["sha256"])}</span></small></th>{row}</tr>
"""


def _differences(result, number):
    lists = "".join(f'<h3>{escape(one["title"])} <span class="soft">{thousands(one["count"])}</span></h3>\n'
                    f'<ul>{_items(one)}</ul>\n' for one in result["differences"])
    return section(escape(result["file"]), lists, "", f"file-{number}")


def _items(one):
    items = "".join(f"<li>{escape(text)}</li>" for text in one["first"])
    left = more(one["count"] - len(one["first"]))
    return items + (f"<li>{left}</li>" if left else "")
