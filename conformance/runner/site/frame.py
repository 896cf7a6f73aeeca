# SPDX-License-Identifier: Apache-2.0
"""The frame of every page of the site, and the links between pages. Links are relative: a site works from a folder too."""
from ..html_page import escape, linked_document, thousands

STYLES = ("html_page.css", "site.css")


class Links:
    """Links from pages of one folder. `root` is the way from there to the root of the site: "" or "../"."""

    def __init__(self, site, root):
        self._site, self.root = site, root

    def _link(self, href, markup):
        return f'<a href="{self.root}{href}">{markup}</a>'

    def vector(self, id_):
        """Plain text if the site has no page about it, as for a vector of an old report that is gone."""
        return self._link(f"vector/{id_}.html", id_) if id_ in self._site.ids else escape(id_)

    def rule(self, id_):
        return self._link(f"rule/{id_}.html", escape(id_)) if id_ in self._site.rules else escape(id_)

    def group(self, group):
        """To the group's rules."""
        known = any(rule.group == group for rule in self._site.rules.values())
        return self._link(f"rules.html#{escape(group)}", escape(group)) if known else escape(group)

    def parser(self, parser, anchor="", markup=None):
        return self._link(f"parser/{parser.slug}.html{anchor}", escape(parser.name) if markup is None else markup)

    def report(self, parser, report, markup):
        return self._link(f"parser/{parser.slug}/{report.stamp}.html", markup)

    def windows(self):
        """Nothing if the site has no such page."""
        return self._link("windows.html", "Windows") if self._site.windows_results else ""

    def fuzzing(self, parser, markup):
        return self._link(f"fuzz/{parser.slug}.html", markup)

    def compare(self, one, other, markup):
        return self._link(compare_name(one, other), markup)


def compare_name(one, other):
    first, second = sorted((one.slug, other.slug))
    return f"compare/{first}-and-{second}.html"


def page(title, links, body):
    """A page: `title` is text, `body` is markup."""
    root = links.root
    nav = f"""<nav class="site" aria-label="Site"><a href="{root}index.html"><b>ETL conformance</b></a>
<a href="{root}rules.html">Rules</a> {links.windows()} <a href="{root}feed.xml">Feed</a>
<a href="{root}index.json">Data</a></nav>"""
    return linked_document(f"{title} · ETL conformance", [root + style for style in STYLES], f"{nav}\n{body}")


def table(kind, heads, rows):
    """A table that scrolls on its own, or nothing without rows. `heads` are texts or th elements, `rows` is markup."""
    if not rows:
        return ""
    cells = "".join(head if head.startswith("<th") else f"<th>{head}</th>" for head in heads)
    return (f'<div class="scroll"><table class="{kind}"><thead><tr>{cells}</tr></thead>\n'
            f"<tbody>{rows}</tbody></table></div>\n")


def fact_list(rows):
    """Rows of (name, text); those without a text are left out."""
    shown = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in rows if text)
    return f'<dl class="facts-list">{shown}</dl>'


def turn(before, after):
    """Links to the pages before and after this one in the same folder: (name of the file, text), or None."""
    ends = ((before, "prev", "← {}"), (after, "next", "{} →"))
    return '<span class="turn">' + "".join(
        f'<a href="{end[0]}.html" rel="{rel}">{text.format(end[1])}</a>' for end, rel, text in ends if end) + "</span>"


def more(count, where=""):
    """A note on what a capped list leaves out."""
    return f'<span class="more">and {thousands(count)} more{where}</span>' if count > 0 else ""


def section(title, body, note="", anchor=""):
    name = f' id="{anchor}"' if anchor else ""
    about = f" <span>{note}</span>" if note else ""
    return f"<section{name}><h2>{title}{about}</h2>\n{body}</section>" if body else ""
