# SPDX-License-Identifier: Apache-2.0
"""Pages of a site in headless Chromium, from files: style files load, nothing overflows a phone, and no error is logged."""
import os
import pathlib
import unittest

from .browser import CHROMIUM, DRIVER, Browser
from .site_fixture import FOUND, LATER, SiteCase

PAGES = ("index.html", "rules.html", "parser/old-reader.html", "compare/old-reader-and-toy.html", "rule/SIZ-001.html",
         "vector/v-wrong-value.html", "vector/v-hang.html", "fuzz/old-reader.html")
WIDTHS = "return [document.documentElement.scrollWidth, innerWidth]"
NO_SCROLL = "return [...document.querySelectorAll('.scroll')].every(one => one.scrollWidth <= one.clientWidth)"
COLOUR = "return getComputedStyle(document.querySelector('.v-crash')).backgroundColor"


@unittest.skipUnless(CHROMIUM and DRIVER, "needs chromium and chromedriver (Debian: chromium, chromium-driver)")
class SiteBrowserTest(SiteCase):
    def setUp(self):
        super().setUp()
        long_name = "a parser with a name that is far too long for the window of a phone"
        self.build(self.saved("old reader", "1.9", change={"v-oom": "pass"}), self.saved("old reader", "2.0", LATER),
                   self.saved("Toy"), self.saved(long_name), "--fuzzed", self.state(FOUND))
        self.browser = Browser(os.path.join(self.folder, "profile"))
        self.addCleanup(self.browser.close)

    def load(self, name):
        self.browser.send("POST", "/url", {"url": pathlib.Path(self.site, *name.split("/")).as_uri()})

    def emulate(self, command, **parameters):
        self.browser.send("POST", "/goog/cdp/execute", {"cmd": f"Emulation.{command}", "params": parameters})

    def errors(self):
        return [entry["message"] for entry in self.browser.send("POST", "/se/log", {"type": "browser"})]

    def test_nothing_overflows_a_phone(self):
        self.emulate("setDeviceMetricsOverride", width=360, height=800, deviceScaleFactor=1, mobile=True)
        for name in PAGES:
            self.load(name)
            wide, window = self.browser.run(WIDTHS)
            self.assertEqual((360, True), (window, wide <= window), f"{name} is {wide} wide")
        self.load("index.html")
        self.assertTrue(self.browser.run(NO_SCROLL))
        self.assertEqual([], self.errors())

    def test_light_and_dark(self):
        colours = []
        for scheme in ("light", "dark"):
            self.emulate("setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            self.load("index.html")
            colours.append(self.browser.run(COLOUR))
        self.assertEqual(["rgb(23, 25, 28)", "rgb(241, 243, 245)"], colours)
        self.assertEqual([], self.errors())


if __name__ == "__main__":
    unittest.main()
