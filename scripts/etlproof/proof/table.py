# SPDX-License-Identifier: Apache-2.0
"""decoder/proofs.tsv: what is proved of each source file, and the hash of the text that was proved.

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
INCLUDES = [f"-I{os.path.join(DECODER, folder)}" for folder in ("", "include", "src")]
HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# What is proved of the library. scripts/prove writes this file, but for the column `left`: what is not proved, and why.
"""
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
_TOKENS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*|\s+', re.DOTALL)


class Row(NamedTuple):
    file: str          # from decoder/
    functions: int
    goals: int         # 0: the file has no contracts yet
    proved: int
    seconds: int
    hash: str
    left: str = ""


def read():
    """{file: Row}"""
    rows = {}
    for number, line in enumerate(read_text(PATH, "the table of proofs"), 1):
        if line and not line.startswith("#") and not line.startswith("file\t"):
            words = line.split("\t")
            if len(words) != len(Row._fields):
                raise Failure(INPUT, f"{PATH}:{number}: {len(Row._fields)} columns expected, found {len(words)}")
            rows[words[0]] = Row(words[0], *map(int, words[1:5]), *words[5:])
    return rows


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
    """The number of functions that the file defines. In this tree the brace that opens one is alone on its line."""
    return sum(line == "{" for line in read_text(path, "a source file"))
