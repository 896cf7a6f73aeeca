#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: layout_facts_test.py ETLPROOF

Compares the layouts of structures in memory that `etlproof layout --list` prints, cell by cell, with the fact sheets that
are their source: a cell is one member in one version and architecture. Also checks that every row of the tables with the
page as its source is in a sheet.

The sheets are in ../shared/format/layouts beside the tree, or in $ETLPROOF_SHARED/format/layouts. Without them the test
exits 77, which ctest shows as skipped.
"""
import collections
import csv
import functools
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get("ETLPROOF_SHARED", os.path.join(HERE, "..", "..", "..", "shared"))
SHEETS = os.path.join(SHARED, "format", "layouts")

GUID, CONTEXT, USER = "ETW_GUID_ENTRY", "WMI_LOGGER_CONTEXT", "ETW_UM_LOGGER_CONTEXT"
with open(os.path.join(HERE, "..", "format", "windows.def"), encoding="utf-8") as table:
    KNOWN = re.findall(r'^ETL_WINDOWS\(\w+, +"([^"]+)"', table.read(), re.M)
VERSIONS = KNOWN[:KNOWN.index("2004") + 1]  # of the sheets
OF_PAGE = {"PAGE", "CONFIRMED", "CONTRADICTED", "MISSPELT", "MISFIT"}  # evidence of rows whose source is the page

# Where type dumps differ from the page, in the versions with dumps: structure, member, type, and the offset by version and
# architecture.
DUMPED = (
    (GUID, "RefCount", "LONG volatile", {("6.0-early", "x64"): 0x10, ("6.1", "x64"): 0x10, ("6.2", "x64"): 0x10}),
    (GUID, "Guid", "GUID", {("6.0-early", "x64"): 0x14, ("6.1", "x64"): 0x14, ("6.2", "x64"): 0x14}),
    (CONTEXT, "GetCpuClock", "ULONG_PTR", {("2004", "x86"): 0x20, ("2004", "x64"): 0x28}),
    (CONTEXT, "RealtimeLogfileName", "UNICODE_STRING", {("1809", "x64"): 0x180, ("1903", "x64"): 0x180,
                                                        ("2004", "x64"): 0x180}),
    (CONTEXT, "FlushTimeOutTimer", "KTIMER", {("1607", "x86"): 0x180}),
)
# Names that type dumps spell differently: structure, name on the page, name in dumps, type, and the offset as above.
SPELT = (
    (CONTEXT, "RelativeTimeDueTime", "RelativeTimerDueTime", "LONGLONG",
     {("1703", "x64"): 0x380, ("1709", "x86"): 0x510, ("1809", "x64"): 0x428, ("1903", "x64"): 0x428,
      ("2004", "x64"): 0x428, ("2004", "x86"): 0x2E0}),
)
# What FACTS.md states about the layouts that the sheets do not have: the size, and the offsets of members. Of the dumps
# for ARM64 it states the builds alone; the offsets are those of the dumps.
LATER = {
    (GUID, "1903", "arm64"): (0x190, {}),
    (GUID, "2004", "arm64"): (0x1A8, {}),
    (GUID, "11-21H2", "x64"): (0x1A8, {}),
    (GUID, "11-25H2", "x64"): (0x1A8, {}),
    (CONTEXT, "1903", "arm64"): (0x540, {"GetCpuClock": 0x28, "FlushingSequenceNumber": 0x530}),
    (CONTEXT, "2004", "arm64"): (0x550, {"GetCpuClock": 0x28, "BufferMdl": 0x540}),
    (CONTEXT, "11-21H2", "x64"): (0x540, {"GetCpuClock": 0x18, "LoggerName": 0x88, "LastDroppedTime": 0x510,
                                          "BufferMdl": 0x530}),
    (CONTEXT, "11-25H2", "x64"): (0x650, {"GetCpuClock": 0x18, "LoggerName": 0x88, "Flags": 0x330, "Flags2": 0x334,
                                          "BinaryTrackingList": 0x518, "LastDroppedTime": 0x618, "BufferMdl": 0x638,
                                          "PfnArray": 0x640}),
}
GONE = ("EventMarker", "ErrorMarker", "SizeMask")
# Nested structures in type dumps: kind, and the offset of each part in x86 and x64.
DUMPED_PARTS = {
    "ETW_BUFFER_QUEUE": {"QueueHead": (0x0, 0x0), "QueueTail": (0x4, 0x8), "QueueEntry": (0x8, 0x10)},
    "ETW_BUFFER_QUEUE_1607": {"QueueTail": (0x0, 0x0), "QueueEntry": (0x4, 0x8)},
    "ETW_LAST_ENABLE_INFO": {"EnableFlags": (0x0, 0x0), "LoggerId": (0x8, 0x8), "Level": (0xA, 0xA),
                             "Enabled_InternalFlag": (0xB, 0xB), "Padding": (0xC, 0xC)},
}

checks = 0
failures = []
notes = []


def check(ok, text):
    global checks
    checks += 1
    if not ok:
        failures.append(text)


def sheet(name):
    with open(os.path.join(SHEETS, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def printed(*arguments):
    done = subprocess.run([sys.argv[1], "layout", *arguments, "--list", "--format", "json"], capture_output=True,
                          text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def read_layouts(structure):
    """(version, arch): the object that the command prints"""
    found = [(row["windows"], row["arch"]) for row in printed(structure)["layouts"]
             if row["windows"] in VERSIONS and row["arch"] != "arm64"]
    return {key: printed(structure, "--windows", key[0], "--arch", key[1]) for key in found}


def first(text):
    return VERSIONS.index("6.0-early" if text == "6.0" else text)


def last(text, higher):
    return VERSIONS.index({"6.0": "6.0-late", "higher": higher}.get(text, text))


def versions_of(row, higher):
    return VERSIONS[first(row["version_from"]):last(row["version_to"], higher) + 1]


def rows_of(layout, name):
    return [member for member in layout["members"] if member["name"] == name and not member.get("padding")]


# Two types in the older edition of the page on WMI_LOGGER_CONTEXT that the newer edition and type dumps spell differently.
SPELT_OTHERWISE = {("RealtimeLogfileHandle", "HANDLE"): "PVOID", ("RequestFlag", "ULONG volatile"): "ULONG"}


def size_in_words(text, arch):
    """The size of a member whose type the page does not give, from its description."""
    if "32-bit" in text or text in ("unknown dword", "unknown 4-byte counter") or text.endswith("four bytes"):
        return 4
    if text == "unaccounted eight bytes":
        return 8
    if "pointer" in text or text in ("buffer for compressed data", "unaccounted four or eight bytes"):
        return {"x86": 4, "x64": 8}[arch]
    return None


def is_of_type(member, row, text):
    """Whether the member has the type with this spelling in the sheet."""
    if row["member"].strip("()") != text:
        return member["type"] == text
    size = size_in_words(text, row["arch"])
    if size is None:
        return "unknown " + member["type"] == text
    return member["size"] == size and member["type"] in ("unaccounted", "unknown ULONG", "unknown pointer")


def is_cell(member, row, text=None):
    return member["offset"] == int(row["offset_hex"], 16) and is_of_type(member, row, text or row["type"])


class Sheet:
    """The cells of one sheet, compared with the layouts of one structure."""

    def __init__(self, name, structure, layouts, higher="2004"):
        self.name, self.structure, self.layouts, self.higher = name, structure, layouts, higher
        self.rows = sheet(name)
        self.equal = self.not_taken = self.without = 0
        self.otherwise = []

    def cells(self):
        for row in self.rows:
            for version in versions_of(row, self.higher):
                yield version, row

    def check_without(self, row, where, layout):
        """The page gives no offset: no row may have the page as its source."""
        self.without += 1
        known = [member for member in rows_of(layout, row["member"]) if member["evidence"] in OF_PAGE]
        check(not known, f"{where}: the page has no offset, the tables have {known}")

    def find(self, row, layout, where):
        """The members of the layout that match this cell."""
        members = rows_of(layout, row["member"])
        known = [member for member in members if is_cell(member, row)]
        otherwise = SPELT_OTHERWISE.get((row["member"], row["type"])) if self.higher == "10.0" else None
        if not known and otherwise:
            known = [member for member in members if is_cell(member, row, otherwise)]
            self.otherwise.append(f"{where}: {row['type']}, in the tables {otherwise}")
        return known

    def check_cell(self, version, row, evidence):
        where = f"{self.name}: {version} {row['arch']} {row['member']}"
        layout = self.layouts.get((version, row["arch"]))
        check(layout, f"{where}: no such layout")
        if not layout:
            return
        if row["offset_hex"] == "-":
            self.check_without(row, where, layout)
            return
        known = [member for member in self.find(row, layout, where) if member["evidence"] in evidence(version)]
        check(known, f"{where}: {row['type']} at {row['offset_hex']}, in the tables {rows_of(layout, row['member'])}")
        if known:
            taken = any(member["taken"] for member in known)
            self.equal += taken
            self.not_taken += not taken

    def check(self, evidence=lambda version: OF_PAGE):
        """`evidence`: the evidence that rows of the tables need to match a cell of this sheet."""
        for version, row in self.cells():
            self.check_cell(version, row, evidence)
        notes.extend(self.otherwise)
        notes.append(f"{self.name}: {self.equal} cells equal, {len(self.otherwise)} of them but for the spelling of the "
                     f"type; {self.not_taken} recorded as disagreeing, and not taken; {self.without} without an offset")

    def check_all_taken(self):
        """A sheet without disagreements: every cell is taken."""
        self.check(lambda version: OF_PAGE | {"INFERRED"})
        check(self.not_taken == 0, f"{self.name}: {self.not_taken} cells are not taken")


def user_evidence(version):
    """The page on ETW_UM_LOGGER_CONTEXT predates most versions that it calls "10.0 and higher"."""
    return OF_PAGE | {"INFERRED"} if VERSIONS.index(version) > VERSIONS.index("10.0") else OF_PAGE


UNACCOUNTED = "(unaccounted twelve bytes)"


def check_unaccounted(layouts):
    """Facts that crosscheck.tsv states in words, and no sheet of members has."""
    text = "12 unaccounted bytes after FlushThreshold (6.3+)"
    check(any(text in row["result"] for row in sheet("crosscheck.tsv")), f"crosscheck.tsv lacks: {text}")
    for (version, arch), layout in layouts.items():
        places = [(each["offset"], each["size"], each["evidence"]) for each in rows_of(layout, UNACCOUNTED)]
        wanted = [(each["offset"] + each["size"], 12, "INFERRED") for each in rows_of(layout, "FlushThreshold")
                  if VERSIONS.index(version) >= VERSIONS.index("6.3")]
        check(places == wanted, f"{USER} {version} {arch}: {UNACCOUNTED} at {places}, wanted {wanted}")


def check_backwards(structure, layouts, sheets, evidence=frozenset(OF_PAGE)):
    """Each row of the tables with this evidence matches a cell of a sheet."""
    cells = {}
    for each in sheets:
        for version, row in each.cells():
            cells.setdefault((version, row["arch"], row["member"]), []).append(row)
    count = 0
    for (version, arch), layout in layouts.items():
        for member in layout["members"]:
            if member.get("evidence") in evidence and member["name"] != UNACCOUNTED:
                rows = cells.get((version, arch, member["name"]), [])
                count += 1
                check(any(row["offset_hex"] != "-" and is_cell(member, row) for row in rows),
                      f"{structure} {version} {arch}: {member} is in no sheet")
    notes.append(f"{structure}: {count} members of {len(layouts)} layouts are in the sheets")


def check_claims(all_layouts, older):
    """The older edition's "10.0 and higher": each of its cells is taken in a later version, too, or the tables have a claim
    that this version has the layout of 10.0. There is no other claim, and none where all cells are taken."""
    count = 0
    for structure, layouts in all_layouts.items():
        for (version, arch), layout in layouts.items():
            where = f"{structure} {version} {arch}"
            later = structure == CONTEXT and VERSIONS.index(version) > VERSIONS.index("10.0")
            rows = [row for row in older.rows if later and row["version_to"] == "higher" and row["arch"] == arch]
            moved = [row for row in rows if not any(member["taken"] for member in older.find(row, layout, where))]
            claim = layout.get("claimed")
            check(bool(claim) == bool(moved), f"{where}: claimed is {claim}, {len(moved)} cells are not the page's")
            if claim:
                check_claim(where, claim, layouts["10.0", arch], rows, layout)
                count += 1
    notes.append(f"{older.name}: \"10.0 and higher\" is recorded as claimed of {count} layouts, and not taken")


def check_claim(where, claim, of, rows, layout):
    wanted = {"windows": "10.0", "size": of["size"], "taken": False,
              "evidence": "CONTRADICTED" if "type dump" in layout.get("known_from", "") else "SUPERSEDED"}
    check(wanted.items() <= claim.items(), f"{where}: claimed is {claim}, wanted {wanted}")
    check("'and higher'" in claim["source"], f"{where}: {claim['source']}")
    cells = {(row["member"], int(row["offset_hex"], 16)) for row in rows}
    known = {(member["name"], member["offset"]) for member in of["members"] if "padding" not in member}
    check(cells == known, f"{where}: claimed cells are missing in the layout of 10.0: {sorted(cells ^ known)}")


def check_dumped(all_layouts):
    """The rows of the tables with evidence from dumps are exactly those of the dumps."""
    wanted = {(structure, *layout, name, kind, offset) for structure, name, kind, offsets in DUMPED
              for layout, offset in offsets.items()}
    known = {(structure, *key, member["name"], member["type"], member["offset"])
             for structure, layouts in all_layouts.items() for key, layout in layouts.items()
             for member in layout["members"] if member.get("evidence") == "DUMP"}
    check(known == wanted, f"type dumps: {sorted(known ^ wanted)}")
    notes.append(f"type dumps: {len(known)} cells against the page equal")


def places_of(layout, name, evidence):
    """Type, offset and size of the rows of the tables with that name and evidence."""
    return [(member["type"], member["offset"], member["size"]) for member in rows_of(layout, name)
            if member["evidence"] == evidence]


def check_spelt(all_layouts):
    """Both spellings have the offset and type of the dumps, and no other member is marked as misspelt."""
    known = collections.Counter(member["evidence"] for layouts in all_layouts.values() for layout in layouts.values()
                                for member in layout["members"] if "padding" not in member)
    count = 0
    for structure, of_page, of_dumps, kind, offsets in SPELT:
        for key, layout in all_layouts[structure].items():
            spelt, misspelt = places_of(layout, of_dumps, "SPELT"), places_of(layout, of_page, "MISSPELT")
            where = f"{structure} {key}: {of_dumps} is at {spelt}, {of_page} at {misspelt}"
            check(spelt == misspelt and len(spelt) <= 1, where)
            check(key not in offsets or [place[:2] for place in spelt] == [(kind, offsets[key])], where)
            count += len(spelt)
    check(known["SPELT"] == known["MISSPELT"] == count, f"spelt otherwise: {known}, wanted {count}")
    notes.append(f"type dumps: {count} cells with another spelling only")


def check_dumped_parts(all_layouts):
    for layouts in all_layouts.values():
        for (version, arch), layout in layouts.items():
            for member in layout["members"]:
                wanted = DUMPED_PARTS.get(member.get("kind"))
                parts = {part["name"]: part["offset"] - member["offset"] for part in member.get("parts", [])}
                check(not wanted or parts == {name: at[arch == "x64"] for name, at in wanted.items()},
                      f"{version} {arch}: {member['name']} has {parts}")


def check_sizes(all_layouts):
    sizes = {}
    for row in sheet("sizes.tsv"):
        for version in VERSIONS if row["version"] == "all" else versions_of(
                {"version_from": row["version"], "version_to": row["version"]}, None):
            for arch in ("x86", "x64"):
                sizes[row["struct"], version, arch] = None if row[arch] == "-" else int(row[arch], 16)
    later = VERSIONS[VERSIONS.index("10.0") + 1:]
    for version in later:  # on the page: "10.0 and higher"
        for arch in ("x86", "x64"):
            sizes[USER, version, arch] = sizes[USER, "10.0", arch]
    for structure, layouts in all_layouts.items():
        wanted = {key[1:]: size for key, size in sizes.items() if key[0] == structure and size}
        known = {key: layout["size"] for key, layout in layouts.items()}
        check(known == wanted, f"sizes.tsv: {structure}: {sorted(set(known.items()) ^ set(wanted.items()))}")
        notes.append(f"sizes.tsv: {structure}: {len(known)} cells equal")


# The bits that the sheet gives for "later 10.0 builds": the first version with the bit in type dumps. Dumps of 1511, 1607
# and 1703 call all of them spare. No dump of 1803 is known; both its neighbours have LastBranchTracing.
LATER_BITS = {"LastBranchTracing": "1709", "ProviderTracking": "1809", "ProcessorTrace": "1809", "QpcDeltaTracking": "1809",
              "MarkerBufferSaved": "1903", "LargeMdlPages": "2004", "ExcludeKernelStack": "2004", "BootLogger": "2004"}
LATER_TEXT = "later 10.0 builds"
BIT_EVIDENCE = {"PAGE": True, "DUMP": True, "INFERRED": True, "CONTRADICTED": False, "DISPUTED": False}  # taken or not


def bit_versions(row):
    """The versions of a text such as "6.2 to 6.3" or "10.0 and higher"."""
    if row["versions"] == LATER_TEXT:
        return VERSIONS[VERSIONS.index(LATER_BITS[row["name"]]):]
    text = row["versions"].replace(" only", " to " + row["versions"].split()[0])
    since, until = re.fullmatch(r"(\S+) (?:to|and) (\S+)", text).groups()
    return versions_of({"version_from": since, "version_to": until}, "2004")


def mask_of(row):
    text = row["mask"] if row["mask"] != "-" else row["note"].removeprefix("derived mask ")
    return int(text, 16)


def named_bits(bits):
    """The runs of a member that have a name and are taken."""
    return sum(int(each["mask"], 16) for each in bits if each["taken"] and not each["spare"])


def is_rest(run, bits, wanted, where):
    """Whether a run is the rest, according to a dump, of a run that the page calls spare."""
    masks = [mask for *place, mask, name in wanted if tuple(place) == where and name == run["name"]]
    return run["spare"] and run["evidence"] == "DUMP" and int(run["mask"], 16) in [
        mask & ~named_bits(bits) for mask in masks]


def check_member_bits(where, bits, wanted, seen):
    for run in bits:
        key = (*where, int(run["mask"], 16), run["name"])
        check(key in wanted or is_rest(run, bits, wanted, where), f"wmi_logger_context_bits.tsv lacks {key}")
        check(BIT_EVIDENCE.get(run["evidence"]) == run["taken"], f"{key}: {run['evidence']}, taken {run['taken']}")
        seen[key] = run["evidence"]
    masks = [int(run["mask"], 16) for run in bits if run["taken"]]
    check(sum(masks) == functools.reduce(int.__or__, masks, 0), f"{where}: bits with two meanings")


def check_bits(layouts):
    wanted, seen = set(), {}
    rows = sheet("wmi_logger_context_bits.tsv")
    for row in rows:
        for version in bit_versions(row):
            wanted |= {(version, arch, row["union_member"], mask_of(row), row["name"]) for arch in ("x86", "x64")}
    for (version, arch), layout in layouts.items():
        for member in layout["members"]:
            if member["name"] in ("Flags", "RequestFlag"):
                check_member_bits((version, arch, member["name"]), member.get("bits", []), wanted, seen)
    check(wanted <= seen.keys(), f"the tables lack {sorted(wanted - seen.keys())}")
    known = collections.Counter(seen.get(key) for key in wanted)
    equal = sum(known[evidence] for evidence, taken in BIT_EVIDENCE.items() if taken)
    notes.append(f"wmi_logger_context_bits.tsv: {equal} cells equal, {known['CONTRADICTED']} contradicted by a type dump, "
                 f"{known['DISPUTED']} that dumps disagree about; {len(seen.keys() - wanted)} left of a run by a dump")
    notes.extend(f"wmi_logger_context_bits.tsv: {row['name']} of \"{LATER_TEXT}\": in the tables from "
                 f"{LATER_BITS[row['name']]} on, dumps of the releases before call it spare"
                 for row in rows if row["versions"] == LATER_TEXT)


def check_modes(all_layouts):
    wanted = {}
    for row in sheet("logger_mode.tsv"):
        name = f"UNUSED_{row['value']}" if row["name"] == "apparently unused" else row["name"]
        wanted[int(row["value"], 16)] = name.removeprefix("EVENT_TRACE_")
    count = 0
    for structure, layouts in all_layouts.items():
        for key, layout in layouts.items():
            for member in rows_of(layout, "LoggerMode"):
                bits = {int(bits["mask"], 16): bits["name"] for bits in member["bits"]}
                check(bits == wanted, f"{structure} {key}: LoggerMode is {bits}")
                count += len(bits)
    check(count, "no layout has a LoggerMode")
    notes.append(f"logger_mode.tsv: {len(wanted)} bits, {count} cells equal")


def taken_of(structure, version, arch):
    layout = printed(structure, "--windows", version, "--arch", arch)
    return layout["size"], {member["name"]: member for member in layout["members"] if member["taken"]}


def check_later_layout(key, size, offsets):
    structure, version, arch = key
    known, members = taken_of(*key)
    check(known == size, f"{key}: size is {known:#x}")
    evidence = {member["evidence"] for member in members.values() if not member.get("padding")}
    check(evidence == {"DUMP_ONLY"}, f"{key}: evidence is {evidence}")
    for name, offset in offsets.items():
        check(members[name]["offset"] == offset, f"{key}: {members[name]}, in FACTS.md {offset:#x}")
    if arch == "arm64":
        of_x64 = taken_of(structure, version, "x64")[1]
        check([(name, each["offset"]) for name, each in members.items()] ==
              [(name, each["offset"]) for name, each in of_x64.items()], f"{key}: members differ from those of x64")
    else:
        check(not members.keys() & set(GONE), f"{key}: {sorted(members.keys() & set(GONE))}")


def check_later():
    """The layouts that the sheets do not have are those of LATER, with no source but type dumps."""
    known = {(structure, row["windows"], row["arch"]) for structure in (GUID, CONTEXT, USER)
             for row in printed(structure)["layouts"] if row["windows"] not in VERSIONS or row["arch"] == "arm64"}
    check(known == LATER.keys(), f"layouts beyond the sheets: {sorted(known ^ LATER.keys())}")
    for key, (size, offsets) in LATER.items():
        check_later_layout(key, size, offsets)
    notes.append(f"FACTS.md: {len(LATER)} layouts beyond the sheets, {sum(len(each[1]) for each in LATER.values())} "
                 "offsets equal")


def main():
    if not os.path.isdir(SHEETS):
        print(f"SKIPPED: no fact sheets in {os.path.normpath(SHEETS)}")
        return 77
    layouts = {structure: read_layouts(structure) for structure in (GUID, CONTEXT, USER)}
    guid = Sheet("etw_guid_entry.tsv", GUID, layouts[GUID])
    # check_claims tests what the older edition of the page states about releases after the first of Windows 10.
    older = Sheet("wmi_logger_context.tsv", CONTEXT, layouts[CONTEXT], higher="10.0")
    newer = Sheet("wmi_logger_context_extended.tsv", CONTEXT, layouts[CONTEXT])
    user = Sheet("etw_um_logger_context.tsv", USER, layouts[USER])
    inferred = Sheet("etw_um_logger_context_inferred.tsv", USER, layouts[USER])
    for each in (guid, older, newer):
        each.check()
    user.check(user_evidence)
    inferred.check_all_taken()
    check_backwards(GUID, layouts[GUID], [guid])
    check_backwards(CONTEXT, layouts[CONTEXT], [newer])
    check_backwards(USER, layouts[USER], [user])
    check_backwards(USER, layouts[USER], [inferred], {"INFERRED"})
    check_unaccounted(layouts[USER])
    check_claims(layouts, older)
    check_dumped(layouts)
    check_spelt(layouts)
    check_dumped_parts(layouts)
    check_sizes(layouts)
    check_bits(layouts[CONTEXT])
    check_modes(layouts)
    check_later()
    for text in failures + notes:
        print(text)
    print(f"{checks} checks, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
