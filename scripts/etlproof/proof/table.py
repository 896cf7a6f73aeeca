# SPDX-License-Identifier: Apache-2.0
"""decoder/proofs.tsv: what is proved of each source file, and the hash of the text that was proved. decoder/unproved.tsv:
the goals that are not proved, and why.

The hash is of the file and of the project's headers and tables that it includes, without comments other than contracts,
without layout, and without the texts of tables, such as the statement of a rule. A change of these makes the proof stale.
"""
import hashlib
import os
import re
import subprocess
from typing import NamedTuple

from etlproof import ROOT
from runner.failure import INPUT, Failure, Writing, read_text

DECODER = os.path.join(ROOT, "decoder")
PATH = os.path.join(DECODER, "proofs.tsv")
UNPROVED = os.path.join(DECODER, "unproved.tsv")
INCLUDES = [f"-I{os.path.join(DECODER, folder)}" for folder in ("", "include", "src")]
HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# What is proved of the library. scripts/prove writes this file. unproved.tsv has the goals that are not proved.
"""
# In this tree the brace that opens a function is alone on its line.
_FUNCTION = re.compile(r"^\w[^;{}#]*?\b(\w+)\([^;{}#]*\)\n\{$", re.MULTILINE)
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
_TOKENS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*|\s+', re.DOTALL)


class Row(NamedTuple):
    file: str          # from decoder/
    functions: int
    goals: int         # 0: the file has no contracts yet
    proved: int
    seconds: int
    hash: str


def _rows(path, what, columns):
    """The rows of a table behind its comments and its head."""
    for number, line in enumerate(read_text(path, what), 1):
        if line and not line.startswith("#") and not line.startswith("file\t"):
            words = line.split("\t")
            if len(words) != columns:
                raise Failure(INPUT, f"{path}:{number}: {columns} columns expected, found {len(words)}")
            yield words


def read():
    """{file: Row}"""
    return {words[0]: Row(words[0], *map(int, words[1:5]), *words[5:])
            for words in _rows(PATH, "the table of proofs", len(Row._fields))}


def read_unproved():
    """{file: {goal: reason}}"""
    found = {}
    for file, goal, reason in _rows(UNPROVED, "the table of unproved goals", 3):
        found.setdefault(file, {})[goal] = reason
    return found


def write(rows):
    lines = ["\t".join(Row._fields), *("\t".join(map(str, row)) for _, row in sorted(rows.items()))]
    with Writing(PATH), open(PATH, "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(line + "\n" for line in lines))


def stripped(text):
    """The text without layout, and without comments that are no contracts."""
    return _TOKENS.sub(lambda match: match[0] if match[0][0] in "\"'" or match[0].startswith(("/*@", "//@")) else " ", text)


def sources(path):
    """The file, and the files of the project that it includes."""
    done = subprocess.run(["gcc", "-MM", "-xc", *INCLUDES, path], capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise Failure(INPUT, f"{path}: {done.stderr.strip() or 'gcc -MM failed'}")
    found = done.stdout.partition(":")[2].replace("\\\n", " ").split()
    return sorted({os.path.realpath(one) for one in found})


def hash_of(path):
    digest = hashlib.sha256()
    for one in sources(path):
        text = re.sub(r"\s+", " ", stripped("\n".join(read_text(one, "a source file"))))
        if one.endswith(".def"):
            text = _STRING.sub('""', text)
        digest.update(f"{os.path.relpath(one, DECODER)}\0{text}\0".encode())
    return digest.hexdigest()[:16]


def functions_of(path):
    """The names of the functions that the file defines."""
    return _FUNCTION.findall("\n".join(read_text(path, "a source file")))
