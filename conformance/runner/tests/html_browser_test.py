# SPDX-License-Identifier: Apache-2.0
"""The HTML report in headless Chromium."""
import os
import pathlib
import tempfile
import unittest

from ..columns import VERDICTS
from .browser import CHROMIUM, DRIVER, Browser
from .html_fixture import EVIL, GROUPS, RULES, RUN, difference, every_verdict, page_of, result_of, victim_vector

ENTER, ESCAPE, LEFT, UP, RIGHT, DOWN = "\ue007", "\ue00c", "\ue012", "\ue013", "\ue014", "\ue015"
SHOWN = "return [...document.querySelectorAll('.c')].filter(c => c.offsetWidth).map(c => c.ariaLabel)"
IN_PANEL = "return [...document.querySelectorAll('#panel ' + arguments[0])].map(e => e.textContent)"
ROWS = "return [...document.querySelectorAll('#panel tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
FIND = """const find = document.getElementById('find');
    find.value = arguments[0];
    find.dispatchEvent(new Event('input'));
    return document.getElementById('none').hidden"""
# The time that a filter takes, until the page is laid out again.
TIME_FILTERS = """const begin = performance.now();
    const find = document.getElementById('find');
    for (const word of ['v-1', 'v-12', '']) {
        find.value = word;
        find.dispatchEvent(new Event('input'));
        document.body.offsetHeight;
    }
    return (performance.now() - begin) / 3;"""


@unittest.skipUnless(CHROMIUM and DRIVER, "needs chromium and chromedriver (Debian: chromium, chromium-driver)")
class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = Browser(os.path.join(cls.folder.name, "profile"))
        cls.addClassCleanup(cls.browser.close)

    def load(self, pairs, hash_="", run=RUN):
        page, _ = page_of(pairs, run)
        path = pathlib.Path(self.folder.name, f"{self.id().rpartition('.')[2]}.html")
        path.write_text(page, encoding="utf-8")
        self.browser.send("POST", "/url", {"url": "about:blank"})
        self.browser.send("POST", "/url", {"url": path.as_uri() + hash_})
        self.assertEqual(self.browser.run("return document.documentElement.dataset.ready"), "true")

    def tearDown(self):
        log = self.browser.send("POST", "/se/log", {"type": "browser"})
        self.assertEqual([entry["message"] for entry in log], [])

    def shown(self):
        return self.browser.run(SHOWN)

    def click(self, selector):
        self.browser.run("document.querySelector(arguments[0]).click()", selector)

    def panel(self, selector=""):
        return self.browser.run(IN_PANEL, selector)

    def hash(self):
        return self.browser.run("return location.hash")

    def test_filters_and_their_address(self):
        self.load(every_verdict())
        self.assertEqual(len(self.shown()), len(VERDICTS))
        self.click(".chip[data-verdict=crash]")
        self.click(".chip[data-verdict=hang]")
        self.assertEqual(sorted(self.shown()), ["v-crash: crash", "v-hang: hang"])
        self.assertEqual(self.hash(), "#verdict=crash,hang")
        self.click("[data-only=marker-flags]")
        self.assertEqual(self.shown(), ["v-crash: crash"])
        self.assertEqual(self.browser.run("return document.getElementById('shown').textContent"), "1 of 10 vectors")
        self.load(every_verdict(), self.hash())
        self.assertEqual(self.shown(), ["v-crash: crash"])
        self.click("#clear")
        self.assertEqual((len(self.shown()), self.hash()), (len(VERDICTS), ""))

    def test_find_by_id_rule_and_title(self):
        self.load(every_verdict())
        for words, count in (("V-OOM", 1), (RULES["size"], 3), ("size 4 is", 1), ("nothing like it", 0), ("", 10)):
            self.assertEqual(self.browser.run(FIND, words), count > 0)
            self.assertEqual(len(self.shown()), count, words)

    def test_open_failure(self):
        pairs = every_verdict()
        vector = pairs[4][0]
        self.load(pairs)
        self.click(".c[aria-label='v-silent-loss: silent-loss']")
        self.assertEqual(self.panel("h3"), [vector.json["title"]])
        rows = self.browser.run(ROWS)
        after = int(vector.json["offset"]) + 0x80
        self.assertEqual(rows[0], ["event 2", "pid", "2", "1", f"0x{after:x}"])
        self.assertEqual(self.panel("tbody tr:nth-child(2) mark"), ["aa", "ab"])
        offset = int(vector.json["offset"])
        self.assertEqual(self.panel(".fault-at"), [f"Fault at 0x{offset:x} victim EVENT_HEADER64 · Size = 0x0004"])
        self.assertEqual(self.panel(".differs-at"), [f"First difference at 0x{after:x} after MESSAGE"])
        self.assertEqual(len(self.panel(".b.differs")), 8 + 4 + 16 + 8 + 8 + 5)
        self.assertEqual(self.panel(".b.fault"), ["04", "00"])
        self.assertEqual(self.panel(".names em.at-fault"), ["Size"])
        shown = "".join(self.panel(".line .b"))
        self.assertIn(vector.image[offset - 64:offset + 64].hex(), shown)
        self.assertEqual(self.panel(".command pre"), ["./my-parser golden/size/v-silent-loss.etl"])
        self.assertEqual(self.panel("h4 + pre"), ["panicked at src/lib.rs:7\n"])
        self.assertIn("size/family.recipe:17", self.panel("dd"))
        self.assertEqual(self.hash(), "#open=v-silent-loss")

    def test_inflated_bytes_are_shown(self):
        self.load(every_verdict(), "#open=v-hang")
        self.assertIn("Bytes of the inflated buffer b", self.panel("h4"))
        self.assertEqual(self.panel(".fault-at"), ["Fault at 0xa0 victim EVENT_HEADER64 · Size = 0x0080"])

    def test_passing_vector_opens_without_bytes(self):
        self.load(every_verdict(), "#open=v-pass")
        self.assertEqual((len(self.panel("h3")), self.panel(".dump")), (1, []))

    def test_keyboard(self):
        self.load(every_verdict())
        focused = "return document.activeElement.ariaLabel"
        self.browser.run("document.querySelector('.c').focus()")
        order = self.shown()
        self.browser.keys(RIGHT)
        self.assertEqual(self.browser.run(focused), order[1])
        self.browser.keys(RIGHT + LEFT + DOWN)
        self.assertEqual(self.browser.run(focused), order[4])
        self.browser.keys(UP + ENTER)
        self.assertEqual(self.browser.run("return document.activeElement.getAttribute('aria-expanded')"), "true")
        self.assertEqual(len(self.panel("h3")), 1)
        self.browser.keys(ESCAPE)
        self.assertEqual((self.panel("h3"), self.browser.run(focused)), ([], order[1]))
        self.assertEqual(self.browser.run("return document.querySelectorAll('.c[tabindex=\"0\"]').length"), 1)

    def test_next_failure(self):
        self.load(every_verdict(), "#open=v-wrong-accept")
        self.click("#panel .next")
        self.assertEqual(self.panel(".id"), ["v-crash"])
        self.click("#panel .previous")
        self.assertEqual(self.panel(".id"), ["v-wrong-accept"])

    def test_broken_rule_leads_to_its_vectors(self):
        self.load(every_verdict())
        self.click(f"[data-rule={RULES['size']}]")
        self.assertEqual(len(self.shown()), 3)

    def test_evil_text_stays_text(self):
        vector = victim_vector("v")
        evil = result_of(vector, "crash", title=EVIL, detail=EVIL, stderr=EVIL, command="./p " + EVIL,
                         known="javascript:alert(1)", differences=[difference("1", EVIL, EVIL, {"a": EVIL}, EVIL)])
        self.load([(vector, evil)], "#open=v", {**RUN, "parser": {"name": EVIL}})
        self.assertNotEqual(self.browser.run("return document.title"), "owned")
        self.assertEqual(self.browser.run("return document.querySelectorAll('img, body script').length"), 2)
        self.assertIn("</script><script>", self.panel("h3")[0])
        self.assertEqual(self.panel("a"), [])

    def test_invalid_hashes(self):
        for hash_ in ("#open=__proto__", "#verdict=none,crash&group=%22%3E%3Cimg%3E", "#%%%", "#open="):
            self.load(every_verdict(), hash_)

    def test_2500_cells_appear_quickly(self):
        pairs = [(vector, result_of(vector)) for vector in (victim_vector(f"v-{n}", GROUPS[n % 12]) for n in range(2500))]
        self.load(pairs)
        self.assertLess(self.browser.run(TIME_FILTERS), 500)
        self.assertEqual(len(self.shown()), 2500)

    def test_nothing_overflows_a_narrow_window(self):
        self.browser.send("POST", "/window/rect", {"width": 500, "height": 900})
        self.addCleanup(self.browser.send, "POST", "/window/rect", {"width": 1400, "height": 900})
        self.load(every_verdict(), "#open=v-wrong-value")
        self.assertLessEqual(*self.browser.run("return [document.documentElement.scrollWidth, innerWidth]"))
