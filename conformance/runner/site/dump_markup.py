# SPDX-License-Identifier: Apache-2.0
"""Annotated bytes as markup without script: one element for each run of bytes of the same region, member and mark."""
import base64
import itertools
from typing import NamedTuple

from ..byte_windows import LINE
from ..html_page import escape


class _Byte(NamedTuple):
    value: int
    at: int            # in the window
    span: tuple        # number, kind, owner, member, whether the window cuts its start off
    is_fault: bool

    @property
    def look(self):
        """Bytes next to each other that look the same become one element."""
        return self.span[0], self.is_fault


def window_markup(window):
    """The markup of a window of byte_windows whose marks are the fault of a vector."""
    data = _bytes(window)
    digits = max(4, len(f"{window['at'] + len(data):x}"))
    lines = "".join(_line(window, data, start, digits) for start in range(0, len(data), LINE))
    if window["at"] + len(data) == window["of"]:
        lines += f'<div class="end-of">{window["of"]:0{digits}x}  end of the {escape(window["space"])}</div>'
    marks = " ".join(_mark(mark) for mark in window["marks"])
    kinds = dict.fromkeys(byte.span[1] for byte in data if byte.span[1])
    legend = "".join(f'<span><i class="r-{kind}"></i>{kind}</span>' for kind in map(escape, kinds))
    return f'<p class="where">{marks}</p>\n<div class="dump">{lines}</div>\n<p class="legend">{legend}</p>'


def _bytes(window):
    data, spans = base64.b64decode(window["bytes"]), []
    for number, (size, kind, owner, member, cut) in enumerate(window["spans"]):
        spans += [(number, kind, owner, member, cut)] * size
    fault = {at - window["at"] for _, offset, size, _, _ in window["marks"] for at in range(offset, offset + size)}
    return [_Byte(value, at, spans[at], at in fault) for at, value in enumerate(data)]


def _mark(mark):
    _, offset, _, label, value = mark
    shown = f" = {value}" if value else ""
    return f'<span class="fault-at"><b>Fault at {offset:#x}</b> {escape(label)}{shown}</span>'


def _line(window, data, start, digits):
    row = data[start:start + LINE]
    runs = "".join(_run(list(run), data) for _, run in itertools.groupby(row, key=lambda byte: byte.look))
    text = escape("".join(chr(byte.value) if 0x20 <= byte.value < 0x7f else "·" for byte in row))
    return (f'<div class="line"><span class="at">{window["at"] + start:0{digits}x}</span><span class="hex">{runs}</span>'
            f'<span class="ascii">{text}</span><span class="names">{_names(row, data)}</span></div>\n')


def _run(run, data):
    first = run[0]
    starts = not first.span[4] if first.at == 0 else data[first.at - 1].span[0] != first.span[0]
    kind = f"r-{first.span[1]}" if first.span[1] else ""
    names = " ".join(filter(None, (kind, "first" if starts else "", "fault" if first.is_fault else "")))
    return f'<span class="{escape(names)}">{" ".join(f"{byte.value:02x}" for byte in run)}</span>'


def _names(row, data):
    """The names of all that starts on a line: the owner once, then its members."""
    shown, previous = [], data[row[0].at - 1].span if row[0].at else None
    for byte in row:
        if previous and byte.span[0] == previous[0]:
            continue
        _, kind, owner, member, cut = byte.span
        if owner and (previous is None or previous[2] != owner or not (member and previous[3])):
            shown.append(f'<b class="r-{escape(kind)}">{"… " if cut else ""}{escape(owner)}</b>')
        name = escape(member or kind)
        shown.append(f"<em>{name}</em>" if byte.is_fault else name)
        previous = byte.span
    return " ".join(shown)
