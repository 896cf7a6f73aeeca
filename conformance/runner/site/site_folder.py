# SPDX-License-Identifier: Apache-2.0
"""The folder of a site: written beside its place and renamed, so that a reader finds the old site or the new one, never a
part."""
import json
import os
import shutil

from ..failure import OUTPUT, USAGE, Failure, Writing
from .site_json import KIND

NAMES = frozenset(("index.html", "rules.html", "windows.html", "index.json", "feed.xml", "html_page.css", "site.css",
                   "parser", "compare", "rule", "vector", "badge", "fuzz"))
NEW, OLD = ".new", ".old"


class SiteFolder:
    """A context: write() adds files; the end without an exception puts the site in its place."""

    def __init__(self, folder):
        self.folder = os.path.realpath(folder)
        self._new, self._old = self.folder + NEW, self.folder + OLD
        self._shown, self._made = folder, set()
        self.files, self.bytes = 0, 0

    def __enter__(self):
        _check(self.folder)
        _check(self._old)
        _check(self._new, is_whole=False)
        with Writing(self._new):
            _remove(self._new)
            os.makedirs(self._new)
        return self

    def write(self, name, content):
        """`name` has slashes; `content` is text or bytes. Refuses a second file of one name."""
        path = os.path.join(self._new, *name.split("/"))
        if os.path.normcase(name) in self._made:
            raise Failure(USAGE, f"{name}: two pages of the site would have this name; change the name of a parser")
        self._made.add(os.path.normcase(name))
        data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
        with Writing(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        self.files, self.bytes = self.files + 1, self.bytes + len(data)

    def __exit__(self, kind, error, trace):
        if kind is not None:
            shutil.rmtree(self._new, ignore_errors=True)
            return
        with Writing(self._shown):
            _remove(self._old)
            if os.path.isdir(self.folder):
                os.rename(self.folder, self._old)
            os.rename(self._new, self.folder)
            _remove(self._old)


def _remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)


def _check(path, is_whole=True):
    """Raises Failure unless the path is free, an empty folder, or a site: nothing else may be replaced. `is_whole`: not the
    rest of a build that was killed."""
    try:
        names = os.listdir(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise Failure(OUTPUT, f"{path}: cannot be replaced by a site: {error.strerror}") from error
    other = sorted(set(names) - NAMES)
    if other:
        raise Failure(OUTPUT, f"{path}: not replaced: {other[0]} in it is not of a site; choose an empty folder")
    if names and is_whole and not _is_site(path):
        raise Failure(OUTPUT, f"{path}: not replaced: its index.json is not of a site; choose an empty folder")


def _is_site(path):
    try:
        with open(os.path.join(path, "index.json"), encoding="utf-8") as file:
            return json.load(file)["kind"] == KIND
    except (OSError, ValueError, KeyError, TypeError):
        return False
