# SPDX-License-Identifier: Apache-2.0
"""Tests the pages of a night and of a bucket in headless Chromium."""
import os
import pathlib
import tempfile
import unittest
import urllib.parse

from etlproof import ROOT
from runner.tests.browser import CHROMIUM, DRIVER, Browser
from . import charts, night_page, samples

# Lists texts with less contrast to their background than WCAG AA requires.
CONTRAST = """
const parse = (text) => { const all = text.match(/[\\d.]+/g).map(Number); return [all[0], all[1], all[2], all[3] ?? 1]; };
const over = (top, under) => [0, 1, 2].map((n) => top[n] * top[3] + under[n] * (1 - top[3])).concat(1);
const light = (rgb) => rgb.slice(0, 3).map((c) => c / 255)
  .map((c) => (c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4))
  .reduce((sum, c, n) => sum + c * [.2126, .7152, .0722][n], 0);
const behind = (element) => { const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
  return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]); };
const weak = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
  if (!text || !element.getClientRects().length || element.closest('title, script, style')) continue;
  const style = getComputedStyle(element), under = behind(element);
  const ink = over(parse(element.namespaceURI.endsWith('svg') ? style.fill : style.color), under);
  const [a, b] = [light(ink), light(under)].sort();
  const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && style.fontWeight >= 700);
  if ((b + .05) / (a + .05) < (large ? 3 : 4.5)) weak.push(text.slice(0, 40) + ' ' + ((b + .05) / (a + .05)).toFixed(2));
}
return weak;"""
# Lists texts of charts that reach out of their picture.
CUT = """return [...document.querySelectorAll('.chart text')].filter(function (text) {
    const inner = text.getBoundingClientRect(), outer = text.closest('svg').getBoundingClientRect();
    return inner.left < outer.left || inner.right > outer.right || inner.top < outer.top || inner.bottom > outer.bottom + 1;
}).map((text) => text.textContent)"""
# Lists cells so narrow that a line holds only a few letters.
NARROW = """return [...document.querySelectorAll('td div')].filter((cell) => cell.offsetWidth < 200)
    .map((cell) => cell.textContent)"""
TEXTS = "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)"
COUNT = "return document.querySelectorAll(arguments[0]).length"
TAB, ENTER = "\ue004", "\ue007"


@unittest.skipUnless(CHROMIUM and DRIVER, "needs chromium and chromedriver (Debian: chromium, chromium-driver)")
class BrowserTest(samples.PagesCase):
    @classmethod
    def setUpClass(cls):
        profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(profile.cleanup)
        cls.browser = Browser(os.path.join(profile.name, "profile"))
        cls.addClassCleanup(cls.browser.close)

    def tearDown(self):
        log = self.browser.send("POST", "/se/log", {"type": "browser"})
        self.assertEqual([entry["message"] for entry in log], [])

    def load(self, path):
        self.browser.send("POST", "/url", {"url": pathlib.Path(path).as_uri()})
        self.assertEqual(self.browser.run("return document.documentElement.dataset.ready"), "true")

    def texts(self, selector):
        return self.browser.run(TEXTS, selector)

    def count(self, selector):
        return self.browser.run(COUNT, selector)

    def colours(self, scheme):
        self.media(features=[{"name": "prefers-color-scheme", "value": scheme}])

    def media(self, **media):
        self.browser.send("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": media})

    def pages(self):
        """All pages, by name."""
        reports = self.nights()
        written = {}
        for name, report in reports.items():
            target = os.path.join(self.folder, f"{name}.html")
            os.replace(self.write(report), target)
            written[name] = target
        written["bucket"] = self.write_bucket(self.bucket(failed=2))
        written["evil bucket"] = self.write_bucket(reports["evil"]["buckets"][0])
        written["long bucket"] = self.write_bucket({**reports["long"]["buckets"][0], "id": "l" * 199})
        written["bare bucket"] = self.write_bucket(self.bare())
        return written

    def test_verdicts(self):
        backgrounds = set()
        for verdict, words in night_page.WORDS.items():
            self.load(self.write(samples.night(verdict=verdict, sentence=f"It is {words}.")))
            self.assertEqual(self.texts("h1"), [f"It is {words}."])
            self.assertTrue(self.browser.run("return document.title").startswith(words))
            backgrounds.add(self.browser.run("return getComputedStyle(document.querySelector('.verdict')).backgroundColor"))
        self.assertEqual(len(backgrounds), 3)

    def test_no_bucket(self):
        self.load(self.write(samples.night()))
        self.assertEqual((self.count(".bucket"), self.texts("#buckets p")), (0, ["None: nothing is known to fail."]))

    def test_two_hundred_buckets(self):
        buckets = [self.bucket(number, ("new", "known", "fixed")[number % 3]) for number in range(200)]
        self.load(self.write(samples.night(buckets)))
        self.assertEqual([self.count(f"#{status} tbody tr") for status in ("new", "known", "fixed")], [67, 67, 66])
        self.assertEqual(self.texts("h2")[0], "New 67, first seen in this run")
        # Folded, but printed in full: consequences of the first bucket, known and fixed buckets.
        self.assertEqual((self.count(".buckets details"), self.count(".buckets details[open]")), (3, 0))
        self.browser.run("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.count("details:not([open])"), 0)
        self.browser.run("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.count(".buckets details[open]"), 0)

    def test_one_point_per_run(self):
        for runs in (1, 2, 7, 60):
            self.load(self.write(samples.night(runs=runs)))
            measured = [past for past in samples.history(runs) if past["regions"] is not None]
            for number, marks in enumerate((".dot", ".dot", ".dot", ".column", ".column", ".column"), 1):
                chart = f".chart:nth-child({number})"
                self.assertEqual(self.count(f"{chart} .run title"), runs)
                self.assertEqual(self.count(f"{chart} {marks}"), len(measured) if number == 1 else runs)
                self.assertEqual(self.count(f"{chart} .new"), sum(past["new"] for past in samples.history(runs)))
            self.assertEqual(self.browser.run(CUT), [])
            self.assertEqual(self.count(".figures tbody tr"), runs)
        self.assertEqual(self.texts(".chart:nth-child(1) .run:nth-of-type(5) title"),
                         ["Run 5, 2026-09-06 01:30 UTC: not measured"])
        self.assertEqual(self.texts(".chart:nth-child(1) .run:nth-of-type(3) title"),
                         ["Run 3, 2026-09-04 01:30 UTC: 2,041 regions, 1 new bucket"])

    def test_numbers_of_any_size_fit(self):
        for low, high in ((0, 0), (0, 3), (9_998, 10_003), (23_456, 23_461), (123_456, 123_470), (999_000, 1_001_000),
                          (5, 12_345_678), (0, 987_654_321_012)):
            past = [{**samples.history(1)[0], "run": run, "regions": value, "executions": value, "processor_seconds": value,
                     "corpus": value, "clean_seconds": value, "failing": value}
                    for run, value in ((998, low), (999, high))]
            self.load(self.write(samples.night(history=past, run=999)))
            self.assertEqual(self.browser.run(CUT), [], (low, high))

    def test_never_measured(self):
        self.load(self.write(samples.night(history=[{**past, "regions": None} for past in samples.history(4)], run=4)))
        self.assertEqual((self.count(".chart:nth-child(1) .dot"), self.count(".chart:nth-child(1) .run")), (0, 4))
        self.assertIn("not measured in any run", self.browser.run("return document.querySelector('.chart svg').ariaLabel"))

    def test_long_history_is_cut(self):
        self.load(self.write(samples.night(runs=75)))
        self.assertEqual(self.count(".chart:nth-child(1) .run"), charts.MOST)
        self.assertEqual(self.texts("#history .note"), ["The last 60 of 75 runs are drawn."])

    def test_pointer_finds_the_run(self):
        self.load(self.write(samples.night(runs=60)))
        run = """const place = document.querySelector('.chart:nth-child(2) [data-run="42"] rect').getBoundingClientRect();
            const hit = document.elementFromPoint(place.x + place.width / 2, place.y + 5);
            return hit.closest('.run').dataset.run"""
        self.browser.run("document.querySelector('.charts').scrollIntoView()")
        self.assertEqual(self.browser.run(run), "42")

    def test_evil_text_stays_text(self):
        pages = self.pages()
        for name in ("evil", "evil bucket"):
            self.load(pages[name])
            self.assertNotEqual(self.browser.run("return document.title"), "owned")
            self.assertEqual((self.count("img"), self.count("script")), (0, 1))
            self.assertIn("</script><script>", self.texts("h1")[0])
            self.assertIn("\\x1b[31mred", self.texts("h1")[0])

    def window(self, width):
        self.browser.send("POST", "/window/rect", {"width": width, "height": 900})
        self.addCleanup(self.browser.send, "POST", "/window/rect", {"width": 1400, "height": 900})

    def load_unfolded(self, path):
        self.load(path)
        self.browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")

    def assert_nothing_hangs_over(self, name):
        self.assertLessEqual(*self.browser.run("return [document.documentElement.scrollWidth, innerWidth]"), name)

    def test_nothing_overflows_a_narrow_window(self):
        self.window(500)
        for name, path in self.pages().items():
            self.load_unfolded(path)
            self.assert_nothing_hangs_over(name)
            self.assertEqual(self.browser.run(NARROW), [], name)

    def test_nothing_overflows_wider_windows(self):
        pages = self.pages()
        for width in (780, 870, 1230, 1250, 1400):
            self.window(width)
            for name, path in pages.items():
                self.load_unfolded(path)
                self.assert_nothing_hangs_over(f"{name}, {width}")

    def test_nothing_overflows_a_printed_page(self):
        self.window(720)  # the text width of A4
        self.addCleanup(self.media, media="")
        self.media(media="print")
        for name, path in self.pages().items():
            self.load(path)
            self.browser.run("dispatchEvent(new Event('beforeprint'))")
            self.assert_nothing_hangs_over(name)

    def test_contrast(self):
        self.addCleanup(self.colours, "light")
        pages = self.pages()
        backgrounds = set()
        for scheme in ("light", "dark"):
            self.colours(scheme)
            for name, path in pages.items():
                self.load_unfolded(path)
                self.assertEqual(self.browser.run(CONTRAST), [], f"{name}, {scheme}")
            backgrounds.add(self.browser.run("return getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(len(backgrounds), 2)

    def test_keyboard(self):
        self.load(self.write(samples.night([self.bucket(status="known")])))
        seen = []
        for _ in range(11):
            self.browser.keys(TAB)
            seen.append(self.browser.run("return document.activeElement.textContent"))
        self.assertEqual(seen[:7], ["New 0", "Known 1", "Fixed 0", "Untried 0", "Last runs", "Targets", "Phases"])
        self.assertEqual(seen[7:], ["Known 1, seen before this run, and in it", self.bucket()["title"], "72 bytes",
                                    "The same as numbers"])
        self.browser.keys(ENTER)
        self.assertEqual(self.count("#history details[open]"), 1)

    def test_copying(self):
        each = self.bucket()
        self.load(self.write_bucket(each))
        # The commands, the recipe, the vector, and the output.
        self.assertEqual((self.count(".copy"), self.count(".copy[hidden]")), (5, 0))
        self.browser.run("""globalThis.copied = [];
            Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { copied.push(text); } } });
            document.querySelector('#commands .copy').click()""")
        self.assertEqual(self.browser.run("return copied"), [each["commands"]["reproduce"]])
        self.assertEqual(self.texts("#commands .copy")[0], "Copied")

    def test_marked_bytes_are_visible(self):
        each = self.bucket()
        line = each["explain"]["hex"][0]
        each["explain"]["hex"] = [{**line, "offset": 4 * number, "mark": number == 50} for number in range(64)]
        self.load(self.write_bucket(each))
        inner, outer = self.browser.run("""return ['.marked', '.bytes-box'].map((name) => {
            const place = document.querySelector(name).getBoundingClientRect();
            return [place.top, place.bottom]; })""")
        self.assertTrue(outer[0] < inner[0] and inner[1] < outer[1], (inner, outer))

    def test_link_to_a_rule(self):
        self.load(self.write_bucket(self.bucket()))
        link = urllib.parse.urlparse(self.browser.run("return document.querySelector('#explain a').href"))
        file = pathlib.Path(urllib.parse.unquote(link.path))
        self.assertEqual(file, pathlib.Path(ROOT, "conformance", "RULES.md"))
        self.assertIn(f"\n### {link.fragment.upper()}\n", file.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
