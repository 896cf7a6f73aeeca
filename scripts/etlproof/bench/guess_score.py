# SPDX-License-Identifier: Apache-2.0
"""Measures how often `etlproof layout --guess` is right."""
import json
import os
import random
import subprocess

from . import memory_noise, structure_filler


class Score:
    """The guesses for one layout: how many were made, how often the right layout ranked first alone, how often it shared
    the first rank, and how many layouts were in first ranks."""

    def __init__(self):
        self.tried = self.first = self.shared = self.ranked = 0
        self.wrong = {}

    def add(self, layout, known, contenders, content, offset):
        rank = [c for c in contenders if c["rank"] == 1]
        found = [is_right(c, layout, known, offset) for c in rank]
        self.tried += 1
        self.ranked += len(rank)
        if found and found[0]:
            self.first += 1
        elif any(found) and all(reads_alike(known[key_of(c)], layout, content[offset:]) for c in rank):
            self.shared += 1
        else:
            name = "nothing" if not contenders else "{structure} {windows} {arch}".format(**contenders[0])
            self.wrong[name] = self.wrong.get(name, 0) + 1


def key_of(contender):
    return contender["structure"], contender["windows"], contender["arch"]


def is_right(contender, layout, known, offset):
    """Whether a contender has the layout and the offset of the structure."""
    return known[key_of(contender)].shape() == layout.shape() and int(contender["offset"]) == offset


def reads_alike(one, other, content):
    """Whether the bytes that only one of two layouts reads are all zero: then the bytes cannot show which layout is
    right."""
    if (one.structure, one.arch) != (other.structure, other.arch):
        return False
    differing = one.members_read() ^ other.members_read()
    return not any(any(content[offset:offset + size]) for _, _, offset, size, _ in differing)


def surrounded(layout, world, rng, known):
    """A structure as a block of a pool or a heap, surrounded by noise; and its offset."""
    structure, _ = structure_filler.build(layout, world, rng)
    before = 0 if known else rng.randrange(0x40, 0x800) // 16 * 16
    kinds = [rng.choice(world.noises) for _ in range(2)]
    head = memory_noise.make(kinds[0], world, rng, before)
    tail = memory_noise.make(kinds[1], world, rng, rng.randrange(0x40, 0x800))
    if rng.random() < world.blocks:
        header = memory_noise.block_header(layout, rng)
        head = head[:len(head) - len(header)] + header if head else head
        tail = memory_noise.slack(layout, world, rng) + memory_noise.block_header(layout, rng) + tail
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
    """A Score for each layout, in the order of the layouts."""
    by_key = {(lay.structure, lay.windows, lay.arch): lay for lay in layouts}
    path = os.path.join(folder, "structure.bin")
    scores = []
    for layout in layouts:
        rng = random.Random(f"{seed} {layout} {known}")
        score = Score()
        for _ in range(count):
            content, offset = surrounded(layout, world, rng, known)
            with open(path, "wb") as out:
                out.write(content)
            score.add(layout, by_key, guess(tool, path, offset if known else None), content, offset)
        scores.append(score)
    return scores
