# SPDX-License-Identifier: Apache-2.0
"""Names and messages of programs and traces, in the pages of a night and of a bucket, and in SARIF."""
import os
import unittest
from unittest import mock

from runner import html_page
from runner.tests.hostile_text import MARKDOWN_ONLY, PAYLOADS

from . import samples, sarif

ESCAPED = PAYLOADS.keys() - MARKDOWN_ONLY - {"line"}  # a page shows lines as such


class HostileTextTest(samples.PagesCase):
    def outputs(self, payload):
        """(name, text) of each output for a night and a bucket in which all texts are the payload."""
        report = self.evil(payload)
        (bucket,) = report["buckets"]
        log = os.path.join(self.folder, "report.sarif")
        sarif.write([bucket], log)
        paths = {"night": self.write(report), "bucket": self.write_bucket(bucket), "sarif": log}
        for name, path in paths.items():
            with open(path, encoding="utf-8", newline="") as file:
                yield name, file.read()

    def test_nothing_harmful_reaches_an_output(self):
        for name in ESCAPED:
            payload, left = PAYLOADS[name]
            for output, text in self.outputs(payload):
                if left and not (output == "sarif" and left.isprintable()):  # no markup in JSON
                    with self.subTest(payload=name, output=output):
                        self.assertNotIn(left, text)

    def test_every_payload_is_noticed_where_it_is_not_escaped(self):
        with mock.patch.object(html_page, "_SPECIAL", mock.Mock(sub=lambda _, text: text)), \
                mock.patch.object(html_page.html, "escape", lambda text, quote: text):
            for name in ESCAPED - {"100,000 characters", "lone surrogate"}:  # no page can hold half a character
                payload, left = PAYLOADS[name]
                self.assertTrue(any(left in text for _, text in self.outputs(payload)), name)


if __name__ == "__main__":
    unittest.main()
