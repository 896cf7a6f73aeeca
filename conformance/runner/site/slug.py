# SPDX-License-Identifier: Apache-2.0
"""File names from names of parsers. A name is hostile text; its slug has only the characters a-z, 0-9, dot and dash."""
import hashlib
import re

LONGEST = 60


def slug_of(name):
    """Depends on the name alone, so that links to a parser's page stay valid. A name without letters, or one too long for a
    file name, has a hash in its slug. A slug names a page, SLUG.html, and a folder beside it, so it does not end like a
    page."""
    slug = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.").replace(".html", "-html")
    if slug and len(slug) <= LONGEST:
        return slug
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug[:LONGEST].strip('-.') or 'parser'}-{digest}"
