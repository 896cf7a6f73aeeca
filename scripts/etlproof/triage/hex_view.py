# SPDX-License-Identifier: Apache-2.0
"""The bytes around an offset, member by member: the output of `etlproof map --hex --around` as records."""
import re

ROWS = 64            # at most, with the offset in the middle
_PLAIN = 16          # bytes of a row if the decoder cannot read the file

_REGION = re.compile(r"[ >] (?:inflated )?0x[0-9a-f]+ +[0-9]+  (\S+) *(.*)$")
_ROW = re.compile(r"  ([ >]) 0x([0-9a-f]+)  ((?:[0-9a-f]{2} ?)+?)(?:  +(.*))?$")
_TEXT = re.compile(r"(\|.*\|)(?: (.*))?$")


def around(path, offset, reference, inside=None):
    """[{"offset", "bytes", "ascii", "label", "mark"}]; `inside` is the index of the inflated buffer that contains the
    offset. Behind the end of the file: the last rows, none of them marked."""
    place = f"{inside}:{offset}" if inside is not None else str(offset)
    _, text, _ = reference.ask("map", "--hex", "--around", place, path)
    rows = _rows(text.decode("utf-8", "replace"), inside is not None)
    return _middle(rows) if rows else _plain(path, offset)


def _rows(text, inflated):
    """The rows of the wanted space. Rows without a label get that of the region around them."""
    rows, region, wanted = [], "", False
    for line in text.splitlines():
        head, row = _REGION.match(line), _ROW.match(line)
        if head:
            region, wanted = " of ".join(part for part in head.groups() if part), ("inflated 0x" in line) == inflated
        elif row and wanted:
            rows.append(_record(row, region))
    return rows


def _record(row, region):
    mark, offset, data, rest = row.groups()
    text = _TEXT.match(rest or "")
    label = (text[2] if text else rest) or region
    return {"offset": int(offset, 16), "bytes": data.strip(), "ascii": text[1] if text else None, "label": label,
            "mark": mark == ">"}


def _middle(rows):
    """At most as many rows as a person reads."""
    at = next((number for number, row in enumerate(rows) if row["mark"]), len(rows) - 1)
    first = max(0, min(at - ROWS // 2, len(rows) - ROWS))
    return rows[first:first + ROWS]


def _plain(path, offset):
    """The bytes without labels, for a file that cannot be read."""
    rows, start = [], max(0, offset // _PLAIN - 4) * _PLAIN
    with open(path, "rb") as file:
        file.seek(start)
        data = file.read(9 * _PLAIN)
    for at in range(0, len(data), _PLAIN):
        part = data[at:at + _PLAIN]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in part)
        rows.append({"offset": start + at, "bytes": part.hex(" "), "ascii": f"|{text}|", "label": "",
                     "mark": 0 <= offset - start - at < len(part)})
    return rows


def as_text(rows):
    """The rows as text for a terminal."""
    return "".join(f"{'>' if row['mark'] else ' '} 0x{row['offset']:08x}  {row['bytes']:<48}"
                   f"{row['ascii'] or '':<18}  {row['label']}".rstrip() + "\n" for row in rows)
