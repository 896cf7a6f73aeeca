# SPDX-License-Identifier: Apache-2.0
"""Packs the vectors and the runner: what it takes to test a parser, with Python 3.11 alone. It holds the last commit, not
changes since; the same commit gives the same file.

  tar.gz  an archive
  npm     a package for Node.js: require("etlproof-vectors").vectors(), and the command etlproof-conformance
  wheel   a package for Python: etlproof_vectors.vectors(), and the command etlproof-conformance
"""
import io
import os
import re
import subprocess
import tarfile
import time
from typing import NamedTuple

from etlproof import ROOT
from runner import command
from runner.command import Parser
from runner.failure import FAILED, INPUT, PASSED, Failure, Writing, read_text
from . import formats, promise

NAME = "scripts/archive"
CONTENT = ("LICENSE", "CHANGELOG.md", "GLOSSARY.md", "conformance/README.md", "conformance/CI.md", "conformance/RULES.md",
           "conformance/run", "conformance/show", "conformance/site", "conformance/golden", "conformance/schema",
           "conformance/adapters", "conformance/causes",
           "conformance/builder/metadata.def", "conformance/builder/flags.def", "conformance/runner", "decoder/format",
           ":(exclude)conformance/runner/tests")


SHOWN = 8  # ids in a message


class Entry(NamedTuple):
    name: str
    executable: bool
    data: bytes


def git(*words):
    try:
        return subprocess.run(["git", "-C", ROOT, *words], stdout=subprocess.PIPE, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise Failure(INPUT, f"git {words[0]} failed: {error}") from error


def content():
    """The entries of the last commit."""
    packed = git("archive", "--format=tar", "HEAD", "--", *CONTENT)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        return [Entry(one.name, bool(one.mode & 0o100), archive.extractfile(one).read()) for one in archive if one.isfile()]


def version():
    text = "\n".join(read_text(os.path.join(ROOT, "CMakeLists.txt"), "the version"))
    return re.search(r"^project\(etlproof VERSION ([0-9.]+)", text, re.MULTILINE)[1]


def keep_promise():
    """Fails if a vector of the newest release before this commit is gone or changed, and CHANGELOG.md does not name it."""
    older = ("--merged", "HEAD", "--no-contains", "HEAD")
    tags = git("tag", "--list", "v*", *older, "--sort=-version:refname").decode().split()
    if not tags:
        return
    before, now, changelog = (git("show", name).decode() for name in (
        f"{tags[0]}:{promise.MANIFEST}", f"HEAD:{promise.MANIFEST}", "HEAD:CHANGELOG.md"))
    ids = promise.broken(before, now, changelog)
    if ids:
        raise Failure(FAILED, f"{len(ids)} vectors of {tags[0]} are gone or changed, and CHANGELOG.md does not name them: "
                              + ", ".join(f"`{id_}`" for id_ in ids[:SHOWN]) + (" …" if len(ids) > SHOWN else ""))


def body(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog="exit status: 0 written, 1 vectors of the last release "
                                                           "(the newest tag v*) are gone or changed and CHANGELOG.md "
                                                           "does not name them, 64 wrong usage, 66 cannot read, "
                                                           "70 an internal error, 74 cannot write, 130 interrupted")
    parser.add_argument("--format", choices=sorted(formats.FORMATS), default="tar.gz", help="default: %(default)s")
    parser.add_argument("-o", dest="output", metavar="FILE",
                        help="default: here, by the name that the format asks for; a wheel must have that name")
    options = parser.parse_args(arguments)
    form = formats.FORMATS[options.format]
    output = options.output or form.name.format(version=version())
    keep_promise()
    entries = content()
    packed = form.pack(entries, version(), time.gmtime(int(git("log", "-1", "--format=%ct"))))
    with Writing(output), open(output, "wb") as file:
        file.write(packed)
    count = sum(one.name.endswith((".etl", ".bin")) for one in entries)
    print(f"{output}: {count:,} vectors, {len(packed) // 1024:,} KiB")
    return PASSED


def main(arguments):
    return command.run(NAME, lambda: body(arguments))
