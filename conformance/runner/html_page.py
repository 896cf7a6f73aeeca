# SPDX-License-Identifier: Apache-2.0
"""The frame of every HTML page of the project: it opens offline and loads nothing from elsewhere. Text of others is
escaped."""
import base64
import hashlib
import html
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
_SPECIAL = re.compile(r"[^\x20-\x7e]")


def clean(text, keep=""):
    """The text with escapes in place of characters that are invisible or change how others are shown."""
    text = str(text)
    if text.isprintable():
        return text
    return _SPECIAL.sub(lambda match: match[0] if match[0] in keep or match[0].isprintable() else _escape(match[0]), text)


def _escape(char):
    number = ord(char)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def escape(text, keep=""):
    """The text as markup, for an element or an attribute."""
    return html.escape(clean(text, keep), quote=True)


def thousands(value):
    return f"{value:,}"


def percent(part, whole):
    """The share as text: 100 % only if none is missing, 0 % only if there is none."""
    if part in (0, whole):
        return "100 %" if part and part == whole else "0 %"
    return f"{min(max(100 * part / whole, 0.1), 99.9):.1f} %"


def asset(name, folder=HERE):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def _hash(text):
    """The source of a content security policy that allows exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _page(title, sources, head, body):
    """`sources`: what the page may load, in the words of a content security policy; it may load nothing else, whatever a
    parser wrote."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {sources}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
{head}
</head>
<body>
{body}
</body>
</html>
"""


def document(title, style, script, body):
    """A page in one file. `style` and `script` follow those of every page; `title` is text, `body` is markup."""
    style, script = asset("html_page.css") + style, asset("html_page.js") + script
    sources = f"style-src {_hash(style)}; script-src {_hash(script)}"
    return _page(title, sources, f"<style>{style}</style>", f"{body}\n<script>{script}</script>")


def linked_document(title, styles, body):
    """A page of a site, without script. `styles` are addresses of style files of the site, html_page.css among them."""
    return _page(title, "style-src 'self'", "\n".join(f'<link rel="stylesheet" href="{style}">' for style in styles), body)
