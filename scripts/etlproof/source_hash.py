# SPDX-License-Identifier: Apache-2.0
"""Hashes the sources of a program: results of another program are not used."""
import fnmatch
import hashlib
import os


def hash_of(root, places, but=()):
    """The hash of the paths and contents of all files in the places (files or folders below root), except paths that match
    one of the patterns, in which * also matches several folders."""
    total = hashlib.sha256()
    for path in sorted(path for place in places for path in _files(root, place)):
        if not any(fnmatch.fnmatchcase(path, pattern) for pattern in but):
            with open(os.path.join(root, path), "rb") as file:
                total.update(path.encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return total.hexdigest()


def _files(root, place):
    """The paths below root. A missing place is a mistake in the caller: nothing would be hashed."""
    top = os.path.join(root, place)
    if os.path.isfile(top):
        return [place]
    return [os.path.relpath(os.path.join(folder, name), root)
            for folder, _, names in os.walk(top, onerror=_raise) for name in names]


def _raise(error):
    raise error
