#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: words_test.py ETLPROOF-BUILD

Finds the quoted words in recipes that belong to the language: if one is replaced by another word of the same length, the
builder refuses the recipe. Each such word must be in recipe.dict.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def recipes():
    """Returns {path: text}, the smallest recipe first."""
    folders = (os.path.join("conformance", "recipes"), os.path.join("corpus", "seeds"))
    paths = [path for folder in folders for path in glob.glob(os.path.join(ROOT, folder, "*", "*.recipe"))]
    return {path: read(path) for path in sorted(paths, key=os.path.getsize)}


def quoted_words():
    """Returns {word: path and text of a recipe that uses it}."""
    found = {}
    for path, text in recipes().items():
        for word in re.findall(r'"([a-z][a-z_0-9]+)"', text):
            found.setdefault(word, (path, text))
    return found


def is_recipe(builder, path, text):
    group = os.path.basename(os.path.dirname(path))
    return subprocess.run([builder, "--group", group, "--list", "-"], input=text.encode(), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def words_of_language(builder):
    """Returns the words of the language. A run of `a` replaces arbitrary text, and hex digits, without an error."""
    return [word for word, (path, text) in sorted(quoted_words().items())
            if not is_recipe(builder, path, text.replace(f'"{word}"', f'"{"a" * len(word)}"'))]


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 64
    tokens = re.findall(r'^\w+="(?:\\")?(.*?)(?:\\")?"$', read(os.path.join(HERE, "..", "recipe.dict")), flags=re.M)
    words = words_of_language(sys.argv[1])
    missing = [word for word in words if word not in tokens]
    print(f"{len(words)} words: {', '.join(words)}")
    if missing:
        print(f"not in recipe.dict: {', '.join(missing)}")
    return 1 if missing or not words else 0


if __name__ == "__main__":
    sys.exit(main())
