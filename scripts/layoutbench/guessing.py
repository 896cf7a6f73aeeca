# SPDX-License-Identifier: Apache-2.0
"""How often --guess is right."""
import json
import os
import random
import subprocess

from layoutbench import noise, values


class Score:
    """Of one layout: how many were tried, and of how many the right one was first, or level with the first."""

    def __init__(self):
        self.tried = self.right = self.level = 0
        self.wrong = {}

    def add(self, layout, shapes, contenders, offset):
        self.tried += 1
        first = contenders[0]["points"] if contenders else 0
        level = [c for c in contenders if c["points"] == first]
        found = [is_right(c, layout, shapes, offset) for c in level]
        self.right += bool(found) and found[0]
        self.level += any(found)
        if not found or not found[0]:
            name = "nothing" if not contenders else "{structure} {windows} {arch}".format(**contenders[0])
            self.wrong[name] = self.wrong.get(name, 0) + 1


def is_right(contender, layout, shapes, offset):
    """Whether a contender is laid out as the structure is, and lies where it does."""
    key = (contender["structure"], contender["windows"], contender["arch"])
    return shapes.get(key) == layout.shape() and int(contender["offset"]) == offset


def surrounded(layout, world, rng, known):
    """A structure as a block of a pool or a heap, with noise around it; and where it lies."""
    structure, _ = values.build(layout, world, rng)
    before = 0 if known else rng.randrange(0x40, 0x800) // 16 * 16
    kinds = [rng.choice(world.noises) for _ in range(2)]
    head = noise.make(kinds[0], world, rng, before)
    tail = noise.make(kinds[1], world, rng, rng.randrange(0x40, 0x800))
    if rng.random() < world.blocks:
        header = noise.block_header(layout, rng)
        head = head[:len(head) - len(header)] + header if head else head
        tail = noise.slack(layout, world, rng) + noise.block_header(layout, rng) + tail
    return head + structure + tail, before


def guess(tool, path, offset):
    arguments = [tool, "layout", "--guess", "--format", "json", path]
    if offset is not None:
        arguments += ["--offset", str(offset)]
    done = subprocess.run(arguments, capture_output=True, check=False)
    if done.returncode not in (0, 2):
        raise RuntimeError(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)["contenders"] if done.stdout else []


def measure(tool, layouts, world, known, count, seed, folder):
    """A Score for each layout, in their order."""
    shapes = {(lay.structure, lay.windows, lay.arch): lay.shape() for lay in layouts}
    path = os.path.join(folder, "structure.bin")
    scores = []
    for layout in layouts:
        rng = random.Random(f"{seed} {layout} {known}")
        score = Score()
        for _ in range(count):
            content, offset = surrounded(layout, world, rng, known)
            with open(path, "wb") as out:
                out.write(content)
            score.add(layout, shapes, guess(tool, path, offset if known else None), offset)
        scores.append(score)
    return scores
