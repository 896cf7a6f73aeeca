#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the tables of decoder/format, row by row, with the fact sheets that are their source.

The sheets are in ../shared/format beside the tree, or in $ETLPROOF_SHARED/format. Without them the test exits 77, which
ctest shows as skipped.
"""
import csv
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = os.path.join(HERE, "..", "format")
SHARED = os.environ.get("ETLPROOF_SHARED", os.path.join(HERE, "..", "..", "..", "shared"))
SHEETS = os.path.join(SHARED, "format")

checks = 0
failures = []


def check(ok, text):
    global checks
    checks += 1
    if not ok:
        failures.append(text)


def split_arguments(text):
    """The arguments of a macro, split at commas outside strings and parentheses."""
    parts, depth, start = [], 0, 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[(),]', text):
        if token.group() == "(":
            depth += 1
        elif token.group() == ")":
            depth -= 1
        elif token.group() == "," and depth == 0:
            parts.append(text[start:token.start()])
            start = token.end()
    parts.append(text[start:])
    return [part.strip().strip('"') for part in parts]


def table(name, macro):
    """The rows `macro(...)` of format/name.def."""
    with open(os.path.join(TABLES, name + ".def"), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    rows = re.findall(r"^%s\((.*?)\)$" % macro, text, flags=re.M | re.S)
    if not rows:
        raise SystemExit(f"{name}.def: no row {macro}")
    return [split_arguments(row) for row in rows]


def sheet(name):
    with open(os.path.join(SHEETS, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def check_rules():
    known = {row[1]: row for row in table("rules", "ETL_RULE")}
    for row in sheet("RULES.tsv"):
        check(row["id"] in known, f"rules.def has no {row['id']}: {row['rule']}")
    for text, row in known.items():
        check(row[0] == text.replace("-", "_"), f"rules.def: {row[0]} is called {text}")


def check_windows():
    versions = {(row[1], row[2]) for row in table("windows", "ETL_WINDOWS_VERSION")}
    for row in table("windows", "ETL_WINDOWS"):
        check((row[2], row[3]) in versions, f"windows.def: {row[0]} is of {row[2]}.{row[3]}, which has no row")
    for row in table("header_types", "ETL_HEADER_TYPE"):
        check(tuple(row[4].split(".")) in versions, f"header_types.def: {row[1]} is since {row[4]}, not in windows.def")


SIZES = {row[0]: int(row[1]) for row in table("member_kinds", "ETL_MEMBER_KIND")}


def structures():
    """name: (size, [(member, offset, end)])"""
    found = {row[0]: (int(row[1], 0), []) for row in table("structures", "ETL_STRUCTURE")}
    for structure, member, offset, kind in table("structures", "ETL_MEMBER"):
        found[structure][1].append((member, int(offset, 0), int(offset, 0) + SIZES[kind]))
    return found


STRUCTURES = structures()


def member_at(structure, name):
    return next((offset for member, offset, _ in STRUCTURES[structure][1] if member == name), None)


def check_header_type(row, layouts, known):
    value = int(row["type"], 0)
    check(value in known, f"header_types.def has no {row['type']} {row['name']}")
    if value not in known:
        return
    _, name, layout, pointer_size, *_ = known[value]
    structure, time_at = layouts[layout]
    where = f"header type {row['type']} {name}"
    check(name == row["name"], f"{where}: the sheet calls it {row['name']}")
    if row["payload_ptr"] in ("4", "8"):
        check(pointer_size == row["payload_ptr"], f"{where}: pointer size {pointer_size}, not {row['payload_ptr']}")
    else:
        check(pointer_size == "0", f"{where}: pointer size {pointer_size}, in the sheet {row['payload_ptr']}")
    if layout == "OPAQUE":
        return
    lengths = [int(text, 16) for text in re.findall(r"0x([0-9A-F]+)(?: |$)", row["header_len"])]
    sizes = [STRUCTURES[structure][0]]
    if layout == "INSTANCE":
        sizes += [STRUCTURES[layouts["INSTANCE_GUID"][0]][0]]
    check(lengths and set(lengths) <= set(sizes), f"{where}: header of {sizes} bytes, in the sheet {row['header_len']}")
    check(member_at(structure, "Size") == int(row["size_off"], 0), f"{where}: Size is not at {row['size_off']}")
    for column, member in (("tid_off", "ThreadId"), ("pid_off", "ProcessId")):
        if row[column].startswith("0x"):
            check(member_at(structure, member) == int(row[column], 0), f"{where}: {member} is not at {row[column]}")
        elif row[column] == "-":
            check(member_at(structure, member) is None, f"{where}: has a {member}, the sheet does not")
    if row["ts_off"].startswith("0x"):
        member = re.fullmatch(r"ETL_AT\((\w+), (\w+)\)", time_at)
        check(member and member_at(*member.groups()) == int(row["ts_off"], 0), f"{where}: time not at {row['ts_off']}")


def check_header_types():
    layouts = {row[0]: row[1:] for row in table("layouts", "ETL_LAYOUT")}
    known = {int(row[0], 0): row for row in table("header_types", "ETL_HEADER_TYPE")}
    rows = sheet("layouts/header_types.tsv")
    for row in rows:
        check_header_type(row, layouts, known)
    for value in known.keys() - {int(row["type"], 0) for row in rows}:
        check(False, f"header_types.def: {value:#x} is in no sheet")


BUFFER_HEADERS = {"5.0-5.1": "50", "5.2": "52", "6.0": "60", "6.1+": "61"}

# Members that the sheet spells differently: as in Microsoft's headers, or by their offset.
SPELLINGS = {
    ("SYSTEM_TRACE_HEADER", "MarkerFlags"): "Flags (marker)",
    ("PERFINFO_TRACE_HEADER", "MarkerFlags"): "Flags (marker)",
    ("PERFINFO_TRACE_HEADER", "TimeStamp"): "TS/SystemTime",
    ("MESSAGE_TRACE_HEADER", "MarkerFlags"): "Version (0x90)",
    ("WMI_BUFFER_HEADER_61", "ClockFrequency"): "{ClockType:3,Frequency:61} (6.2+) | SlistEntry | NextBuffer",
    ("TRACE_LOGFILE_HEADER32", "Padding"): "(pad)",
    ("TRACE_LOGFILE_HEADER64", "Padding"): "(pad)",
}


def structure_of(row):
    name = row["struct"].split(" ")[0]
    if name == "WMI_BUFFER_HEADER":
        return f"{name}_{BUFFER_HEADERS[row['versions']]}"
    if name == "TRACE_LOGFILE_HEADER":
        return name + {"x86": "32", "x64": "64"}[row["arch"]]
    return {"EXT_ITEM": "EXTENDED_DATA_ITEM"}.get(name, name)


def letters(text):
    return re.sub(r"[^a-z0-9]", "", text.lower())


def check_structure(name, rows):
    """A row of the sheet is one member, several rows are, or one row is several members: their ends must meet."""
    size, members = STRUCTURES[name]
    spans = [(int(row["offset_hex"], 16), int(row["offset_hex"], 16) + int(row["size"]), row["member"]) for row in rows]
    length = max(end for _, end, _ in spans)
    check(length == size, f"{name}: {size:#x} bytes, in the sheet {length:#x}")
    for start, end, text in spans:
        inside = [member for member in members if member[1] < end and member[2] > start]
        if start == end:
            check(start == size, f"{name}: ends at {size:#x}, in the sheet at {start:#x}")
            continue
        first, last = min((m[1] for m in inside), default=None), max((m[2] for m in inside), default=None)
        parts = [span for span in spans if inside and span[0] < last and span[1] > first]
        whole = inside and (first, last) == (min(p[0] for p in parts), max(p[1] for p in parts))
        check(whole, f"{name}: {text} at {start:#x}..{end:#x} is {inside}")
        if len(inside) == 1 and len(parts) == 1:
            member = inside[0][0]
            spelling = SPELLINGS.get((name, member))
            same = text == spelling if spelling else letters(member) in letters(text)
            check(same, f"{name}: {member} at {start:#x} is called {text} in the sheet")
    for member, start, end in members:
        check(any(span[0] < end and span[1] > start for span in spans), f"{name}.{member} is not in the sheet")


def check_structures():
    found = {}
    for row in sheet("layouts/on_disk_structs.tsv"):
        found.setdefault(structure_of(row), []).append(row)
    for name, rows in found.items():
        check(name in STRUCTURES, f"structures.def has no {name}")
        if name in STRUCTURES:
            check_structure(name, rows)


def names_of(row):
    """The names of a hook in the sources: macros, a class and its event, a name in the note, or plain words."""
    names = {row["phnt_name"], row["note"].split(" ")[0], row["chappell_name"].upper().replace(" ", "_")}
    names |= {text.split(" ")[-1] for text in row["chappell_name"].split("; ")}
    for name in row["mof_class"].split(";"):
        names |= {name, re.sub(r"_V\d+", "", name).split("_")[0] + "_" + row["mof_event"]}
    return names


def check_hooks():
    hooks = table("hook_ids", "ETL_HOOK")
    groups = {int(row[0], 0): row[2] for row in table("hook_groups", "ETL_HOOK_GROUP")}
    known = {int(row[0], 0): row[1] for row in hooks}
    check(len(known) == len(hooks), "hook_ids.def: an id occurs twice")
    check(list(known) == sorted(known), "hook_ids.def: not in ascending order")
    rows = {int(row["hook_id"], 0): row for row in sheet("layouts/hookids.tsv")}
    for value, row in rows.items():
        check(value in known, f"hook_ids.def has no {row['hook_id']} {row['phnt_name'] or row['chappell_name']}")
        if value not in known:
            continue
        names = names_of(row)
        check(known[value] in names, f"hook {row['hook_id']} is {known[value]}, in the sheet {sorted(names)}")
        if row["guid"]:
            check(groups.get(value >> 8) == row["guid"], f"group of hook {row['hook_id']}: {groups.get(value >> 8)}, "
                  f"in the sheet {row['guid']}")
    with open(os.path.join(SHEETS, "FACTS.md"), encoding="utf-8") as file:
        in_text = {int(value, 16): name for value, name in re.findall(r"^- Hook (0x\w+) .*?`(\w+)`", file.read(), re.M)}
    for value in known.keys() - rows.keys():
        name = known[value].rpartition("_")[2]
        check(in_text.get(value) == name, f"hook_ids.def: {value:#06x} {known[value]} is in no sheet, nor in FACTS.md")


def check_logger_modes():
    known = {int(row[0], 0): row[1] for row in table("logger_modes", "ETL_LOGGER_MODE")}
    rows = {int(row["value"], 0): row["name"] for row in sheet("layouts/logger_mode.tsv")}
    check(known.keys() == rows.keys(), "logger_modes.def has other bits than the sheet")
    for value, name in rows.items():
        name = f"UNUSED_{value:#010x}" if name == "apparently unused" else name.removeprefix("EVENT_TRACE_")
        check(known.get(value) == name, f"logger mode {value:#010x}: {known.get(value)}, in the sheet {name}")


def main():
    if not os.path.isdir(SHEETS):
        print(f"SKIPPED: no fact sheets in {os.path.normpath(SHEETS)}")
        return 77
    check_rules()
    check_windows()
    check_header_types()
    check_structures()
    check_hooks()
    check_logger_modes()
    for text in failures:
        print(text)
    print(f"{checks} checks, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
