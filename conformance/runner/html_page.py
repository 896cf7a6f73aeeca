# SPDX-License-Identifier: Apache-2.0
"""The frame of every HTML page of the project: one file that opens offline. Text of others is escaped."""
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


def _policy(style, script):
    """The content security policy: the page may use its own style and script only, whatever a parser wrote."""
    digests = [hashlib.sha256(text.encode("utf-8")).digest() for text in (style, script)]
    style_hash, script_hash = (base64.b64encode(digest).decode("ascii") for digest in digests)
    return (f"default-src 'none'; style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}'; "
            "base-uri 'none'; form-action 'none'")


def document(title, style, script, body):
    """A whole page. `style` and `script` follow those of every page; `title` is text, `body` is markup."""
    style, script = asset("html_page.css") + style, asset("html_page.js") + script
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
"""
