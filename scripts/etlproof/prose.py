# SPDX-License-Identifier: Apache-2.0
"""Checks the project's prose as far as a machine can, for scripts/lint: banned phrases, the length of vector titles, help
texts and commit subjects. Prints each violation as file:line: text.

    python3 -m etlproof.prose [--count | --root DIR]

--count prints only the number of violations in each room; --root checks another work tree against the same list.
"""
import ast
import collections
import os
import re
import subprocess
import sys

from etlproof import ROOT

BANNED = os.path.join(ROOT, "scripts", "prose-banned.txt")
TITLE, HELP, SUBJECT = 100, 160, 72   # characters
COMMITS = 20                          # the last, of which the subjects are checked
_TEXTS = (".c", ".h", ".py", ".md", ".recipe", ".def", ".sh", ".txt", ".j2", ".js", ".css")
_EXEMPT = (os.path.join("scripts", "prose-banned.txt"),)
_TITLE = re.compile(r'\btitle\s+"((?:[^"\\]|\\.)*)"')


def files(root):
    """Paths of the text files of the tree: tracked by git, or untracked and not ignored."""
    done = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, check=True,
                          capture_output=True, text=True)
    for path in done.stdout.splitlines():
        if path not in _EXEMPT and _is_text(path) and os.path.isfile(os.path.join(root, path)):
            yield path


def _is_text(path):
    if path.startswith(("corpus/", "conformance/golden/", "harness/planted/", "dictionaries/")):
        return False
    name = os.path.basename(path)
    return name.endswith(_TEXTS) or (path.startswith(("scripts/", "conformance/")) and "." not in name)


def banned():
    """The list as one pattern, of phrases whose words may be on two lines, and {phrase: what to write instead}."""
    with open(BANNED, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#") and line.strip()]
    # A line break between two words of a comment may be followed by the sign that begins the line.
    between = r"(?:[ \t]+|[ \t]*\n[ \t]*(?:\*|//|#)?[ \t]*)"
    phrases = "|".join(between.join(map(re.escape, row[0].split())) for row in rows)
    return re.compile(rf"\b(?:{phrases})\b", re.I), {row[0]: row[1] for row in rows}


def phrases_of(path, text, pattern, instead):
    for match in pattern.finditer(text):
        phrase = " ".join(re.sub(r"[*#/]", " ", match[0]).lower().split())
        yield path, text.count("\n", 0, match.start()) + 1, f'"{phrase}": {instead.get(phrase, "write it plainly")}'


def titles_of(path, text):
    for match in _TITLE.finditer(text):
        if len(match[1]) > TITLE:
            yield path, text.count("\n", 0, match.start()) + 1, f"title of {len(match[1])} characters, at most {TITLE}"


def helps_of(path, text):
    """The texts that argparse prints for an option."""
    for node in ast.walk(ast.parse(text)):
        for word in node.keywords if isinstance(node, ast.Call) else ():
            size = _length(word.value) if word.arg == "help" else 0
            if size > HELP:
                yield path, word.value.lineno, f"help text of {size} characters, at most {HELP}"


def _length(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return len(node.value)
    return sum(map(_length, node.values)) if isinstance(node, ast.JoinedStr) else 0


def subjects(root):
    """Violations in the subjects of the last commits, where there is a history."""
    done = subprocess.run(["git", "log", f"-{COMMITS}", "--no-merges", "--format=%h %s"], cwd=root, check=False,
                          capture_output=True, text=True)
    for line in done.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > SUBJECT:
            yield f"commit {commit}", 0, f"subject of {len(subject)} characters, at most {SUBJECT}"


def violations(root):
    """(path, line, text) of each."""
    pattern, instead = banned()
    for path in files(root):
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            text = file.read()
        yield from phrases_of(path, text, pattern, instead)
        if path.endswith(".recipe"):
            yield from titles_of(path, text)
        elif path.endswith(".py"):
            yield from helps_of(path, text)
    yield from subjects(root)


def main(arguments):
    root = arguments[1] if arguments[:1] == ["--root"] else ROOT
    found = list(violations(root))
    if arguments == ["--count"]:
        rooms = collections.Counter("/".join(path.split("/")[:2]) if "/" in path else path.split()[0]
                                    for path, _, _ in found)
        for room, count in sorted(rooms.items()):
            print(f"{count:6} {room}")
    else:
        for path, line, text in found:
            print(f"{path}:{line}: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
