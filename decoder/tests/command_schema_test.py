#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `etlproof schema`, and the option --manifest of decode."""
import os

import command_case
from command_case import INPUT, NOT_ETL, USAGE, CommandCase

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "conformance", "golden")
MAPPED = os.path.join(GOLDEN, "payload", "payload-map-of-bits-9.etl")
STRUCTURES = os.path.join(GOLDEN, "payload-metadata", "payload-metadata-info-counted-structures.etl")
BOTH = os.path.join(GOLDEN, "payload", "payload-manifest-and-info.etl")
INCOMPLETE = os.path.join(GOLDEN, "payload-metadata", "payload-metadata-manifest-only-part-1-of-2.etl")
NO_SCHEMA = os.path.join(GOLDEN, "payload-metadata", "payload-metadata-info-of-type-34.etl")
MANIFEST = """<provider name='Given' guid='{11111111-2222-3333-4444-555555555555}'>
<event value='7' version='2' task='T' template='D'/><template tid='D'><data name='given' inType='win:UInt32'/></template>
</provider>"""


def has_expat():
    errors = command_case.run("decode", "--payload", "fields", "--manifest", MAPPED, MAPPED)[2]
    return "this build reads no manifests" not in errors


class SchemaTest(CommandCase):
    def test_text(self):
        text = self.out("schema", MAPPED)
        self.assertEqual("11111111-2222-3333-4444-555555555555 Provider\n"
                         "  event 7 version 2  Task/Opcode\n"
                         "     0  value  UINT32 as UNSIGNEDINT, map Map\n"
                         "  bits Map\n"
                         "    0x1         One\n"
                         "    0x2         Two\n"
                         "    0x4         Four\n", text)

    def test_structures(self):
        text = self.out("schema", STRUCTURES)
        self.assertIn("     1  s  STRUCT of 1 fields from 3 on, count in field 0\n", text)

    def test_json(self):
        event, bits = self.lines("schema", "--json", MAPPED)
        self.assertEqual({"provider": "11111111-2222-3333-4444-555555555555", "id": 7, "version": 2,
                          "provider_name": "Provider", "event_name": "Task", "opcode_name": "Opcode", "top_level": 1,
                          "fields": [{"number": 0, "name": "value", "type": "UINT32", "out": "UNSIGNEDINT",
                                      "map": "Map"}]}, event)
        self.assertEqual(("Map", True, 3), (bits["map"], bits["bits"], len(bits["entries"])))
        self.assertEqual({"value": 4, "text": "Four"}, bits["entries"][2])

    def test_output_follows_its_schema(self):
        for trace in (MAPPED, STRUCTURES, BOTH):
            self.check_lines("schemas", "schema", "--json", trace)

    def test_trace_without_schema(self):
        self.assertIn("The trace carries no schema", self.out("schema", NO_SCHEMA))
        self.assertEqual("", self.out("schema", "--json", NO_SCHEMA))

    def test_other_file(self):
        code, out, err = command_case.run("schema", self.file(b"no trace"))
        self.assertEqual((NOT_ETL, b""), (code, out))
        self.assertIn("not an ETL file", err)

    def test_usage(self):
        for arguments, why in (((), "no FILE given"), ((MAPPED, MAPPED), "more than one FILE given")):
            code, _, err = command_case.run("schema", *arguments)
            self.assertEqual(USAGE, code)
            self.assertIn(why, err)


class ManifestTest(CommandCase):
    def setUp(self):
        super().setUp()
        if not has_expat():
            self.skipTest("built without libexpat")

    def fields(self, file, manifest):
        records = self.lines("decode", "--payload", "fields", "--manifest", manifest, file)
        return [record["fields"][0]["name"] for record in records if record.get("event_name") in ("Task", "T")]

    def test_manifest_of_the_trace(self):
        text = self.out("schema", BOTH)
        self.assertIn("  event 7 version 2  Task/win:Start  from a manifest\n", text)
        self.assertIn("  event 7 version 2  Task/win:Start\n", text)

    def test_manifest_without_all_parts_is_reported(self):
        self.assertIn("MET-013", self.out("schema", INCOMPLETE))

    def test_manifest_of_the_user(self):
        manifest = self.file(MANIFEST.encode(), "given.man")
        self.assertEqual(["given"], self.fields(NO_SCHEMA, manifest))

    def test_manifest_in_utf16(self):
        manifest = self.file(MANIFEST.encode("utf-16"), "given.man")
        self.assertEqual(["given"], self.fields(NO_SCHEMA, manifest))

    def test_schema_of_the_trace_goes_first(self):
        manifest = self.file(MANIFEST.encode(), "given.man")
        self.assertEqual(["value"], self.fields(MAPPED, manifest))

    def test_bad_manifest(self):
        manifest = self.file(b"<provider>", "bad.man")
        code, out, err = command_case.run("decode", "--payload", "fields", "--manifest", manifest, MAPPED)
        self.assertEqual((INPUT, b""), (code, out))
        self.assertIn("bad.man: not a manifest: no element found at byte 10", err)

    def test_missing_manifest(self):
        code, _, err = command_case.run("decode", "--payload", "fields", "--manifest", "/none.man", MAPPED)
        self.assertEqual(INPUT, code)
        self.assertIn("cannot read /none.man", err)

    def test_manifest_for_validate(self):
        manifest = self.file(MANIFEST.encode(), "given.man")
        report, = self.lines("validate", "--json", "--payload", "--manifest", manifest, NO_SCHEMA)
        without, = self.lines("validate", "--json", "--payload", NO_SCHEMA)
        self.assertEqual(int(without["payloads"]["decoded"]) + 1, int(report["payloads"]["decoded"]))

    def test_manifest_needs_fields(self):
        for verb, why in (("decode", "--manifest needs --payload fields or both"),
                          ("validate", "--manifest needs --payload")):
            code, _, err = command_case.run(verb, "--manifest", "x.man", MAPPED)
            self.assertEqual(USAGE, code)
            self.assertIn(why, err)


if __name__ == "__main__":
    command_case.main()
