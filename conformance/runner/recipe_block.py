# SPDX-License-Identifier: Apache-2.0
"""The lines of a recipe that define a vector."""
import functools
import os

from .vectors import recipe_of


@functools.lru_cache(maxsize=4)
def _lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")


def recipe_path(folder, vector):
    return os.path.join(folder, *recipe_of(vector)[0].split("/"))


def recipe_block(folder, vector):
    """[(number, line)] of the vector's recipe below the folder, from the line that the vector names to the end of that
    block. Raises OSError if the recipe cannot be read."""
    lines, first = _lines(recipe_path(folder, vector)), recipe_of(vector)[1]
    return list(enumerate(lines[first - 1:_end_of_block(lines, first - 1)], first))


def _end_of_block(lines, start):
    """The index behind the line on which the block that begins at `start` closes its last brace."""
    depth, opened = 0, False
    for number, line in enumerate(lines[start:], start + 1):
        quoted = False
        for at, char in enumerate(line):
            if char == '"' and line[at - 1:at] != "\\":
                quoted = not quoted
            elif char == "#" and not quoted:
                break
            elif char in "{}" and not quoted:
                depth += 1 if char == "{" else -1
                opened = True
        if opened and depth <= 0:
            return number
    return len(lines)
