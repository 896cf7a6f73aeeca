#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: command_layout_tables_test.py ETLPROOF [TEST...]

Tests what `etlproof layout` prints from its tables: lists, differences and exports. Every export must have each member of
each layout at its offset.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile

import command_case
from layout_case import exported, HERE, LayoutCase, member, STRUCTURES

PAGES = os.path.join(HERE, "..", "format", "layouts")


class List(LayoutCase):
    def test_members(self):
        listed = self.json("ETW_GUID_ENTRY", "--list", "--windows", "1511", "--arch", "x86")
        self.assertEqual(0x168, listed["size"])
        host = member(listed, "HostSilo")
        self.assertEqual(("UCHAR", 0x15C, 1, 1, "UNSIGNED", "PAGE", True),
                         tuple(host[key] for key in ("type", "offset", "size", "count", "kind", "evidence", "taken")))
        info = member(listed, "EnableInfo")
        self.assertEqual(("TRACE_ENABLE_INFO [8]", 0x58, 0x100, 8),
                         tuple(info[key] for key in ("type", "offset", "size", "count")))
        self.assertEqual(("LoggerId", 0x58 + 6, 2), tuple(info["parts"][3][key] for key in ("name", "offset", "size")))

    def test_text(self):
        text = self.out("layout", "ETW_GUID_ENTRY", "--list", "--windows", "6.1", "--arch", "x64")
        for line in ("  +0x014     16  Guid                                 GUID  [type dump, against the page]",
                     "- +0x018     16  Guid                                 GUID  "
                     "[not taken: page, contradicted by a type dump]",
                     "  +0x024      4  (padding)",
                     "  +0x040      8  MatchId                              ULONGLONG  [union]"):
            self.assertIn(line + "\n", text)

    def test_both_spellings(self):
        text = self.out("layout", "WMI_LOGGER_CONTEXT", "--list", "--windows", "1803", "--arch", "x64")
        self.assertIn("""
- +0x428      8  RelativeTimeDueTime                  LONGLONG  [not taken: page, misspelt]
  +0x428      8  RelativeTimerDueTime                 LONGLONG  [page, spelt as type dumps have it]
""", text)

    def test_bits_in_text(self):
        text = self.out("layout", "WMI_LOGGER_CONTEXT", "--list", "--windows", "2004", "--arch", "x64")
        flags = text.index("  +0x340      4  Flags ")
        for line in ("               0x00000001  Persistent",
                     "-              0x00008000  SpareFlags1 (no meaning)  [not taken: page, contradicted by a type dump]",
                     "               0x00008000  LastBranchTracing  [type dump, against the page]",
                     "               0x00ff0000  SystemLoggerIndex"):
            self.assertLess(flags, text.index("\n" + line + "\n"), line)
        self.assertIn("\n               0x00000100  REAL_TIME_MODE\n", text)
        text = self.out("layout", "WMI_LOGGER_CONTEXT", "--list", "--windows", "2004", "--arch", "x64", "--evidence")
        self.assertIn("  SystemLoggerIndex  [page]\n", text)

    def test_versions(self):
        versions = self.json("WMI_LOGGER_CONTEXT", "--list")["layouts"]
        self.assertEqual(("5.0", "x86", 0x140), tuple(versions[0][key] for key in ("windows", "arch", "size")))
        self.assertEqual(("11-25H2", "x64", 0x650, 26200, 26200),
                         tuple(versions[-1][key] for key in ("windows", "arch", "size", "first_build", "last_build")))
        self.assertEqual(17 + 17, len(versions) - 2)  # x86 up to 2004, x64 from 5.2 on, and two versions for ARM64
        one = self.json("WMI_LOGGER_CONTEXT", "--list", "--windows", "5.2")["layouts"]
        self.assertEqual([("x86", 0x1D8), ("x64", 0x280)], [(row["arch"], row["size"]) for row in one])
        self.assertIn("  5.2        x64   640 (0x280) bytes  Windows Server 2003, Windows XP x64\n",
                      self.out("layout", "WMI_LOGGER_CONTEXT", "--list"))


class Claim(LayoutCase):
    """An older edition of the page on WMI_LOGGER_CONTEXT claims its layout of 10.0 for all later releases."""

    LINE = "{} as 10.0: an older edition of the page gives this layout for 10.0 'and higher'  [not taken: {}]"
    DUMP, EDITION = "page, contradicted by a type dump", "page, superseded by its newer edition"

    def test_where(self):
        """Every layout after 10.0 that the page has has the claim, with the size of 10.0; no other layout has it."""
        sizes = {each["arch"]: each["size"] for each in exported() if each["structure"] == "WMI_LOGGER_CONTEXT"
                 and each["windows"] == "10.0"}
        versions = [row["windows"] for row in self.json("WMI_LOGGER_CONTEXT", "--list", "--arch", "x86")["layouts"]]
        later = versions[versions.index("10.0") + 1:]
        for each in exported():
            claimed = each.get("claimed")
            wanted = each["structure"] == "WMI_LOGGER_CONTEXT" and each["windows"] in later and each["arch"] != "arm64"
            self.assertEqual(wanted, claimed is not None, each["windows"])
            if wanted:
                self.assertEqual(("10.0", sizes[each["arch"]], False),
                                 tuple(claimed[key] for key in ("windows", "size", "taken")))

    def test_json(self):
        for windows, arch, evidence in (("1511", "x64", "CONTRADICTED"), ("1803", "x86", "SUPERSEDED")):
            which = ["WMI_LOGGER_CONTEXT", "--windows", windows, "--arch", arch]
            listed = self.json(*which, "--list")["claimed"]
            self.assertEqual(evidence, listed["evidence"])
            rows = self.json("WMI_LOGGER_CONTEXT", "--list")["layouts"]
            self.assertIn((windows, arch, listed), [(row["windows"], row["arch"], row.get("claimed")) for row in rows])
            changed = self.json("WMI_LOGGER_CONTEXT", "--diff", "10.0", windows, "--arch", arch)
            self.assertEqual((None, listed), (changed["from"].get("claimed"), changed["to"].get("claimed")))

    def test_text(self):
        for windows, arch, why in (("1511", "x64", self.DUMP), ("1803", "x86", self.EDITION)):
            line = self.LINE.format(windows, why)
            which = ["WMI_LOGGER_CONTEXT", "--windows", windows, "--arch", arch]
            self.assertIn(f"\n  {line}\n", self.out("layout", *which, "--list"))
            for order in (("10.0", windows), (windows, "10.0")):
                text = self.out("layout", "WMI_LOGGER_CONTEXT", "--diff", *order, "--arch", arch)
                self.assertEqual(1, text.count(f"\n  {line}\n"))
            self.assertIn(f"\n/* {line} */\n", self.out("layout", "--export", "c", *which))
            self.assertIn(f"\n// {line}\n", self.out("layout", "--export", "imhex", *which))
        first = self.out("layout", "WMI_LOGGER_CONTEXT", "--windows", "10.0", "--arch", "x64", "--list")
        self.assertNotIn("as 10.0", first)

    def test_versions(self):
        text = self.out("layout", "WMI_LOGGER_CONTEXT", "--list")
        self.assertIn("  1511       x64   912 (0x390) bytes  Windows 10 1511  [not taken: as 10.0]\n", text)
        self.assertIn("  10.0       x64   920 (0x398) bytes  Windows 10, as first released (1507)\n", text)

    def test_pages(self):
        self.assertIn("\n- x64: 0x390 bytes; other sources: type dump of 1511, x64; not that of 10.0: " + self.DUMP + "\n",
                      self.out("layout", "WMI_LOGGER_CONTEXT", "--export", "markdown"))
        index = self.out("layout", "--export", "markdown")
        rows = re.findall(r"^\| WMI_LOGGER_CONTEXT \| (x86|x64) \| (.+?) \| all \| as 10.0, (0x\w+) bytes: .+? \| (.+?) "
                          r"\| the newer edition \|$", index, flags=re.M)
        dump, edition = self.DUMP, self.EDITION
        self.assertEqual([("x86", "1511", "0x288", edition), ("x86", "1607", "0x288", dump),
                          ("x86", "1703", "0x288", edition), ("x86", "1709", "0x288", dump),
                          ("x86", "1803 to 1903", "0x288", edition),
                          ("x86", "2004", "0x288", dump), ("x64", "1511 to 1703", "0x398", dump),
                          ("x64", "1709 to 1803", "0x398", edition), ("x64", "1809 to 2004", "0x398", dump)],
                         sorted(rows, key=lambda row: row[0], reverse=True))


class Difference(LayoutCase):
    def test_json(self):
        changed = self.json("ETW_GUID_ENTRY", "--diff", "10.0", "2004", "--arch", "x64")
        self.assertEqual((0x180, 0x1A8), (changed["from"]["size"], changed["to"]["size"]))
        self.assertEqual([("ServerSilo", 0x178)], [(each["name"], each["offset"]) for each in changed["gone"]])
        self.assertEqual(["SiloGuidList", "SiloState", "HostEntry", "Lock", "LockOwner"],
                         [each["name"] for each in changed["new"]])
        moved = {each["name"]: (each["from"]["offset"], each["to"]["offset"]) for each in changed["changed"]}
        self.assertEqual((0x18, 0x28), moved["Guid"])
        self.assertNotIn("GuidList", moved)
        self.assertFalse(any(each["retyped"] for each in changed["changed"]))

    def test_types(self):
        changed = self.json("ETW_GUID_ENTRY", "--diff", "6.1", "6.2", "--arch", "x64")
        self.assertEqual([("FilterData", False, True, 64, 8)],
                         [(each["name"], each["moved"], each["retyped"], each["from"]["size"], each["to"]["size"])
                          for each in changed["changed"]])

    def test_same_type_of_another_size(self):
        changed = self.json("WMI_LOGGER_CONTEXT", "--diff", "1511", "1607", "--arch", "x86")["changed"]
        queue = next(each for each in changed if each["name"] == "BufferQueue")
        self.assertEqual((False, True, "ETW_BUFFER_QUEUE", "ETW_BUFFER_QUEUE", 12, 8),
                         (queue["moved"], queue["retyped"], queue["from"]["type"], queue["to"]["type"],
                          queue["from"]["size"], queue["to"]["size"]))

    def test_text(self):
        text = self.out("layout", "ETW_GUID_ENTRY", "--diff", "6.0-late", "6.1", "--arch", "x86")
        self.assertIn("6.0-late (Windows Vista SP1 and later, Windows Server 2008), 0x158 bytes, "
                      "to 6.1 (Windows 7), 0x178 bytes", text)
        self.assertIn("+ +0x028      8  MatchId                              ULONGLONG\n", text)
        back = self.out("layout", "ETW_GUID_ENTRY", "--diff", "6.1", "6.0-late", "--arch", "x86")
        self.assertIn("- +0x028      8  MatchId                              ULONGLONG\n", back)

    def test_evidence(self):
        """The page has the member at one offset in both versions; its neighbours show that it moves."""
        which = ["ETW_UM_LOGGER_CONTEXT", "--diff", "6.1", "6.2", "--arch", "x64"]
        handle = next(each for each in self.json(*which)["changed"] if each["name"] == "LogFileHandle")
        self.assertEqual(("PAGE", "INFERRED"), (handle["from"]["evidence"], handle["to"]["evidence"]))
        row = "> +0x090      8  LogFileHandle                        HANDLE  [was at +0x080]  [inferred]\n"
        self.assertIn(row, self.out("layout", *which))
        back = self.out("layout", "ETW_UM_LOGGER_CONTEXT", "--diff", "6.2", "6.1", "--arch", "x64")
        self.assertIn("LogFileHandle                        HANDLE  [was at +0x090, inferred]\n", back)
        self.assertIn("HANDLE  [was at +0x078]  [page]\n", self.out("layout", *which, "--evidence"))

    def taken_bits(self, windows, arch):
        """The taken bits by member."""
        layout = self.json("WMI_LOGGER_CONTEXT", "--list", "--windows", windows, "--arch", arch)
        return {name: [(bits["mask"], bits["name"]) for bits in member(layout, name)["bits"] if bits["taken"]]
                for name in ("Flags", "RequestFlag")}

    def test_bits(self):
        """For each version and the next: the bits that --list has for one of them only."""
        versions = [row["windows"] for row in self.json("WMI_LOGGER_CONTEXT", "--list")["layouts"] if row["arch"] == "x64"]
        versions = versions[versions.index("6.2"):]
        taken = {windows: self.taken_bits(windows, "x64") for windows in versions}
        alone = 0
        for old, new in zip(versions, versions[1:]):
            which = ["WMI_LOGGER_CONTEXT", "--diff", old, new, "--arch", "x64"]
            changed = {each["name"]: each for each in self.json(*which)["changed"]}
            text = self.out("layout", *which)
            for name, before in taken[old].items():
                after = taken[new][name]
                each = changed.get(name, {"moved": False, "retyped": False})
                gone, made = ([(bits["mask"], bits["name"]) for bits in each.get(key, [])]
                              for key in ("gone_bits", "new_bits"))
                self.assertEqual([bits for bits in before if bits not in after], gone, (old, new, name))
                self.assertEqual([bits for bits in after if bits not in before], made, (old, new, name))
                is_alone = name in changed and not each["moved"] and not each["retyped"]
                alone += is_alone
                self.assertEqual(is_alone, f"  {name} " in "".join(re.findall(r"(?m)^\* .*", text)))
        self.assertGreater(alone, 0)

    def test_bits_in_text(self):
        text = self.out("layout", "WMI_LOGGER_CONTEXT", "--diff", "6.3", "10.0", "--arch", "x64")
        self.assertIn("""\
> +0x340      4  Flags                                ULONG  [was at +0x338]
-              0x0000e000  SpareFlags1 (no meaning)
+              0x00002000  StackLookasideListAllocated
+              0x00004000  SecurityTrace
+              0x00008000  SpareFlags1 (no meaning)
""", text)

    def test_nothing(self):
        text = self.out("layout", "ETW_GUID_ENTRY", "--diff", "1607", "1903", "--arch", "x86")
        self.assertIn("  13 members unchanged\n", text)
        self.assertEqual(3, text.count("\n"))


def valid_name(name):
    words = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    return "a_" + words if words[0].isdigit() else words


class Pattern:
    """A parser for the part of ImHex's pattern language that the export uses; computes members and size of each type. Types
    must be declared before use and have unique names, and a comment must have the offset of each member."""

    SIZES = {f"{sign}{8 * size}": size for sign in "us" for size in (1, 2, 4, 8)}

    def __init__(self, text):
        self.sizes = dict(self.SIZES)
        self.members = {}
        self.name = None  # name of the open type
        for line in text.splitlines():
            code, _, comment = line.partition("//")
            offset = re.search(r"\b0x([0-9a-f]{3})(?:  \[|$)", comment)
            self.take(code.strip(), int(offset[1], 16) if offset else None)
        assert self.name is None, f"{self.name} does not end"

    def take(self, line, offset):
        opened = re.fullmatch(r"(struct|union|bitfield|enum) (\w+)(?: : (u\d+))? {", line)
        alias = re.fullmatch(r"using (\w+) = (\w+);", line)
        padding = re.fullmatch(r"padding\[(\d+)\];", line)
        bits = re.fullmatch(r"(\w+) : (\d+);", line)
        value = re.fullmatch(r"(\w+) = (\d+)(,?)", line)
        declared = re.fullmatch(r"(\w+) (\w+)(?:\[(\d+)\])?;", line)
        if opened:
            assert self.name is None, f"{line} in {self.name}"
            self.kind, self.name, self.width = opened.groups()
            assert (self.kind == "enum") == (self.width is not None), line
            self.end, self.members[self.name] = 0, {}
        elif alias and self.name is None:
            self.define(alias[1], self.sizes[alias[2]])
            self.members[alias[1]] = self.members[alias[2]]
        elif self.name is None:
            assert line == "" or line.startswith("#pragma "), line
        elif line == "};":
            assert self.kind != "bitfield" or self.end in (8, 32), self.name
            self.define(self.name, self.end // 8 if self.kind == "bitfield" else self.sizes.get(self.width, self.end))
            self.name = None
        elif value and self.kind == "enum":
            assert self.end == 0, f"{line} behind the last"
            self.members[self.name][value[1]] = int(value[2])
            self.end = int(value[3] == "")
        elif bits and self.kind == "bitfield":
            self.add(bits[1], int(bits[2]))
        else:
            assert self.kind != "struct" or offset in (self.end, None), (self.name, line, self.end)
            self.add("padding" if padding else declared[2],
                     int(padding[1]) if padding else self.sizes[declared[1]] * int(declared[3] or 1),
                     None if padding else declared[1])

    def define(self, name, size):
        assert name not in self.sizes, f"{name} is there twice"
        self.sizes[name] = size

    def add(self, name, size, of=None):
        if name != "padding":
            assert name not in self.members[self.name], (self.name, name)
            self.members[self.name][name] = (0 if self.kind == "union" else self.end, size, of)
        self.end = max(self.end, size) if self.kind == "union" else self.end + size

    def places(self, name):
        """{member: (offset, size)}, members of unions included."""
        found = {}
        for each, (offset, size, of) in self.members[name].items():
            if each.endswith("_union"):
                found |= {inner: (offset, inner_size) for inner, (_, inner_size, _) in self.members[of].items()}
            else:
                found[each] = (offset, size)
        return found


class Export(LayoutCase):
    def names(self):
        for structure, windows, arch, size in self.layouts():
            yield (structure, windows, arch, size, f"{structure}_{re.sub('[.-]', '_', windows)}_{arch}")

    def places(self, structure, windows, arch):
        wanted = {"structure": structure, "windows": windows, "arch": arch}
        listed = next(each for each in exported() if wanted.items() <= each.items())
        return {valid_name(each["name"]): (each["offset"], each["size"]) for each in listed["members"]
                if each["taken"] and "padding" not in each}

    def test_json(self):
        """The export has each layout, equal to --list."""
        layouts = self.check_schema(json.loads(self.out("layout", "--export", "json")))["layouts"]
        listed = [(structure, row["windows"], row["arch"], row["size"]) for structure in STRUCTURES
                  for row in self.json(structure, "--list")["layouts"]]
        self.assertEqual(listed, [(each["structure"], each["windows"], each["arch"], each["size"]) for each in layouts])
        for each in layouts[::7]:
            which = [each["structure"], "--windows", each["windows"], "--arch", each["arch"]]
            self.assertEqual(self.json(*which, "--list"), each)
        one = json.loads(self.out("layout", "--export", "json", "ETW_GUID_ENTRY", "--windows", "1903", "--arch", "x86"))
        self.assertEqual([self.json("ETW_GUID_ENTRY", "--list", "--windows", "1903", "--arch", "x86")], one["layouts"])

    def compile(self, text, compiler, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "layouts.h")
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
            done = subprocess.run([compiler, *options, "-fsyntax-only", "-pedantic", "-Wall", "-Wextra", "-Werror", path],
                                  capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stderr

    def compilers(self):
        found = [(name, *options) for name, *options in (("gcc", "-xc", "-std=c11"), ("clang", "-xc", "-std=c11"),
                                                         ("g++", "-xc++", "-std=c++11"), ("clang++", "-xc++", "-std=c++11"))
                 if shutil.which(name)]
        if not found:
            self.skipTest("no compiler")
        return found

    def test_c(self):
        """The header compiles alone, and fails to compile with a wrong offset."""
        text = self.out("layout", "--export", "c")
        wrong = text.replace("Guid, 0x018, 16);", "Guid, 0x014, 16);", 1)
        self.assertNotEqual(text, wrong)
        for compiler in self.compilers():
            self.assertEqual((0, ""), self.compile(text, *compiler))
            self.assertNotEqual(0, self.compile(wrong, *compiler)[0])

    def test_c_has_every_member(self):
        text = self.out("layout", "--export", "c")
        aliases = dict(reversed(pair) for pair in re.findall(r"^typedef (\w+) (\w+);$", text, flags=re.M))
        found = {}
        checks = re.findall(r"^ETW_LAYOUT_MEMBER\((\w+), (\w+), (0x\w+), (\d+)\);$", text, flags=re.M)
        for name, each, offset, size in checks:
            if not each.startswith("padding_"):
                found.setdefault(name, {})[each] = (int(offset, 16), int(size))
        for structure, windows, arch, size, name in self.names():
            self.assertEqual(self.places(structure, windows, arch), found[aliases.get(name, name)], name)
            self.assertIn(f"ETW_LAYOUT_SIZE({aliases.get(name, name)}, {size:#x});\n", text)

    def masks(self, prefix, of):
        return {f"{prefix}_{bits['name']}": int(bits["mask"], 16) for bits in of.get("bits", []) if bits["taken"]}

    def test_c_has_every_name_of_bits(self):
        """The bits of LoggerMode occur once, the bits of parts once a kind, all others in each layout; an alias uses the
        names of the layout it stands for."""
        text = self.out("layout", "--export", "c")
        aliases = dict(reversed(pair) for pair in re.findall(r"^typedef (\w+) (\w+);$", text, flags=re.M))
        defined = {name: int(value, 16) for name, value in re.findall(r"^#define (\w+) (0x\w+)u\b", text, flags=re.M)}
        expected = {f"ETW_LAYOUT_CLOCK_TYPE_{name}": value
                    for value, name in enumerate(("RAW", "PERFCOUNTER", "SYSTEMTIME", "CPUCYCLE"))}
        for structure, windows, arch, _, name in self.names():
            which = {"structure": structure, "windows": windows, "arch": arch}
            for each in next(layout for layout in exported() if which.items() <= layout.items())["members"]:
                mode = each["name"].startswith("LoggerMode")
                prefix = "ETW_LAYOUT_LOGGER_MODE" if mode else aliases.get(name, name) + "_" + each["name"]
                expected |= self.masks(prefix, each)
                for part in each.get("parts", []):
                    expected |= self.masks(f"{each['kind']}_{arch}_{part['name']}", part)
        self.assertEqual(expected, defined)
        self.assertEqual(0xFE, defined["ETW_LAST_ENABLE_INFO_x64_Enabled_InternalFlag_InternalFlag"])

    def test_evidence_in_comments(self):
        """The evidence of members and bits in C and ImHex, and the rejected rows."""
        for form, marks in (("c", ("/* ", " */")), ("imhex", ("// ", ""))):
            text = self.out("layout", "--export", form, "--windows", "2004", "--arch", "x64", "WMI_LOGGER_CONTEXT")
            self.assertIn("\n{}0x00008000 of Flags, SpareFlags1: not taken: page, contradicted by a type dump{}\n"
                          .format(*marks), text)
            self.assertRegex(text, r"LastBranchTracing( : 1;| 0x00008000u) /[/*] type dump, against the page")
            text = self.out("layout", "--export", form, "--windows", "6.1", "--arch", "x64", "ETW_GUID_ENTRY")
            self.assertIn("\n{}0x018 Guid, GUID: not taken: page, contradicted by a type dump{}\n".format(*marks), text)
            self.assertRegex(text, r" Guid; /[/*] GUID, 0x014  \[type dump, against the page\]")

    def check_imhex(self, text, *names):
        pattern = Pattern(text)
        for structure, windows, arch, size, name in names:
            self.assertEqual(size, pattern.sizes[name], name)
            self.assertEqual(self.places(structure, windows, arch), pattern.places(name), name)
        return pattern

    def test_imhex(self):
        pattern = self.check_imhex(self.out("layout", "--export", "imhex"), *self.names())
        flags = pattern.members["WMI_LOGGER_CONTEXT_1903_x64_Flags"]
        self.assertEqual((16, 8, None), flags["SystemLoggerIndex"])
        self.assertEqual((15, 1, None), flags["LastBranchTracing"])
        for arch in ("x86", "x64"):
            last = pattern.members[f"ETW_LAST_ENABLE_INFO_{arch}"]["Enabled_InternalFlag"]
            self.assertEqual((11, 1, f"ETW_LAST_ENABLE_INFO_{arch}_Enabled_InternalFlag"), last)
            self.assertEqual({"Enabled": (0, 1, None), "InternalFlag": (1, 7, None)}, pattern.members[last[2]])

    def test_imhex_has_the_clock_types(self):
        pattern = Pattern(self.out("layout", "--export", "imhex"))
        self.assertEqual({"RAW": 0, "PERFCOUNTER": 1, "SYSTEMTIME": 2, "CPUCYCLE": 3},
                         pattern.members["ETW_LAYOUT_CLOCK_TYPE"])
        types = {members["ClockType"][1:] for members in pattern.members.values() if "ClockType" in members}
        self.assertEqual({(4, "ETW_LAYOUT_CLOCK_TYPE")}, types)

    def test_imhex_that_is_wrong(self):
        """Errors that check_imhex must detect, in one structure."""
        chosen = ("WMI_LOGGER_CONTEXT", "1903", "x64")
        name, = (each for each in self.names() if each[:3] == chosen)
        text = self.out("layout", "--export", "imhex", chosen[0], "--windows", chosen[1], "--arch", chosen[2])
        self.check_imhex(text, name)
        plain = re.sub(" *//.*", "", text)
        self.check_imhex(plain, name)
        for old, new in (("BufferSize;\n    u32 MaximumEventSize;", "MaximumEventSize;\n    u32 BufferSize;"),
                         ("    u32 BufferSize;", "    u64 BufferSize;"), ("    u32 BufferSize;\n", ""),
                         ("    u32 BufferSize;", "    u32 LoggerId;"), ("    padding[4];", "    padding[8];"),
                         ("    u32 BufferSize;", "    DWORD BufferSize;"), ("\n};\n\nstruct UNICODE", "\n\nstruct UNICODE"),
                         ("ReferenceTime;", "ReferenceTime[2];"), ("    PageAlignBuffers : 1;\n", ""),
                         ("\nstruct LIST_ENTRY_x64 {", "\nstruct GUID {"), ("    RAW = 0,\n", "    RAW = 0\n"),
                         (" : u32 {", " {"), ("    InternalFlag : 7;", "    InternalFlag : 6;")):
            self.assertTrue(old in plain, old)
            with self.subTest(new), self.assertRaises((AssertionError, KeyError, TypeError)):
                self.check_imhex(plain.replace(old, new, 1), name)
        with self.assertRaises(AssertionError):
            self.check_imhex(text.replace("BufferSize; // ULONG, 0x004", "BufferSize; // ULONG, 0x008"), name)

    def test_chosen(self):
        for form in ("c", "imhex"):
            text = self.out("layout", "--export", form, "WMI_LOGGER_CONTEXT", "--windows", "1903", "--arch", "x64")
            self.assertIn("WMI_LOGGER_CONTEXT_1903_x64", text)
            self.assertNotRegex(text, r"x86|_1809_|ETW_GUID_ENTRY_")

    def test_pages_are_up_to_date(self):
        for name, arguments in [("README.md", [])] + [(each.lower() + ".md", [each]) for each in STRUCTURES]:
            with open(os.path.join(PAGES, name), encoding="utf-8", newline="") as file:
                page = self.out("layout", *arguments, "--export", "markdown")
                self.assertEqual(page, file.read(), "make it again: " + " ".join(
                    ["etlproof layout", *arguments, "--export markdown >decoder/format/layouts/" + name]))

    def test_pages_name_every_disagreement(self):
        page = self.out("layout", "--export", "markdown")
        rows = re.findall(r"^\| (\w+) \| (x86|x64) \| (\S+)(?: to (\S+))? \| (.+?) \| 0x(\w+), ", page, flags=re.M)
        order = [row["windows"] for row in self.json("ETW_UM_LOGGER_CONTEXT", "--list", "--arch", "x86")["layouts"]]
        told = {(structure, arch, windows, each, int(offset, 16)) for structure, arch, since, until, each, offset in rows
                for windows in order[order.index(since):order.index(until or since) + 1]}
        known = {(layout["structure"], layout["arch"], layout["windows"], each["name"], each["offset"])
                 for layout in exported() for each in layout["members"] if not each["taken"]}
        self.assertTrue(known)
        self.assertEqual(known, told)
        self.assertIn("| RelativeTimeDueTime | 0x510, LONGLONG | page, misspelt | RelativeTimerDueTime, 0x510, LONGLONG: "
                      "page, spelt as type dumps have it |", page)
        self.assertNotIn("no member", page)


if __name__ == "__main__":
    command_case.main()
