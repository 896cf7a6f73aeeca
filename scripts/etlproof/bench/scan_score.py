# SPDX-License-Identifier: Apache-2.0
"""Measures what `etlproof layout --scan` finds in a large image, and how fast."""
import json
import mmap
import os
import random
import resource
import subprocess
import time

from . import memory_noise, structure_filler

RUNS = 3
TILE, PIECE, PAGE = 1 << 20, 1 << 16, 1 << 12
# The usual contents of a memory image; a kind that is listed twice is twice as frequent.
MIX = ["zeros"] * 4 + ["random"] * 3 + ["text", "text16", "pointers", "pool", "counters"] * 2


class Result:
    def __init__(self, hidden):
        self.hidden = hidden            # how many structures were hidden
        self.found = self.right = 0     # found at their offset; and with the right layout, as far as bytes show
        self.false = []                 # candidates where nothing was hidden
        self.missed = []
        self.scan = self.read = 0.0     # seconds, of the fastest of several runs
        self.scan_cpu = self.read_cpu = 0.0


def write_noise(path, size, world, rng):
    """Writes an image of noise: each piece starts at a random page of a 1 MiB tile, so pages occur many times."""
    tiles = {kind: memory_noise.make(kind, world, rng, TILE) for kind in sorted(set(MIX))}
    with open(path, "wb") as out:
        while size > 0:
            tile = tiles[rng.choice(MIX)]
            at = rng.randrange(0, (TILE - PIECE) // PAGE + 1) * PAGE
            out.write(tile[at:at + min(size, PIECE)])
            size -= PIECE


def hide(path, size, layouts, world, rng, count):
    """Writes structures at random places, each a block of a pool or a heap; returns {offset: layout}."""
    slots = rng.sample(range(size // PIECE), count)
    places = {}
    with open(path, "r+b") as image:
        for slot in slots:
            layout = rng.choice(layouts)
            content, _ = structure_filler.build(layout, world, rng)
            header = memory_noise.block_header(layout, rng)
            at = slot * PIECE + rng.randrange(0x100, PIECE - 0x1000) // 16 * 16
            image.seek(at - len(header))
            image.write(header + content + memory_noise.slack(layout, world, rng) + memory_noise.block_header(layout, rng))
            places[at] = layout
    return places


def spent(who):
    """Seconds of processor time so far."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def fastest(body, who):
    """Runs body() several times. Returns its last result, the least wall-clock seconds and the least processor seconds."""
    times = []
    for _ in range(RUNS):
        start, start_cpu = time.perf_counter(), spent(who)
        value = body()
        times.append((time.perf_counter() - start, spent(who) - start_cpu))
    return value, min(wall for wall, _ in times), min(cpu for _, cpu in times)


def read_file(path):
    """Reads the file into one buffer of 1 MiB, the baseline of --scan. The buffer is page-aligned: copies to other
    addresses may be several times slower."""
    with mmap.mmap(-1, 1 << 20) as room, open(path, "rb", buffering=0) as image:
        while image.readinto(room):
            pass


def judge(result, places, candidates, shapes):
    """Compares the candidates with the hidden structures."""
    for candidate in candidates:
        at = int(candidate["offset"])
        layout = places.pop(at, None)
        if layout is None:
            result.false.append(candidate)
            continue
        result.found += 1
        key = (candidate["structure"], candidate["windows"], candidate["arch"])
        result.right += shapes.get(key) == layout.shape()
    result.missed = sorted(places.items())


def scan(tool, path):
    done = subprocess.run([tool, "layout", "--scan", "--format", "json", path], capture_output=True, check=False)
    if done.returncode not in (0, 2):
        raise RuntimeError(f"--scan: exit code {done.returncode}: {done.stderr.decode()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def measure(tool, layouts, world, size, count, seed, folder):
    rng = random.Random(f"{seed} scan")
    path = os.path.join(folder, "image.bin")
    write_noise(path, size, world, rng)
    places = hide(path, size, layouts, world, rng, count)
    result = Result(count)
    # The first run loads the file into the page cache.
    _, result.read, result.read_cpu = fastest(lambda: read_file(path), resource.RUSAGE_SELF)
    records, result.scan, result.scan_cpu = fastest(lambda: scan(tool, path), resource.RUSAGE_CHILDREN)
    os.remove(path)
    if records[-1] != {"rec": "end", "bytes": str(size), "candidates": str(len(records) - 1)}:
        raise RuntimeError(f"--scan: no end record, or a wrong one: {records[-1]}")
    shapes = {(lay.structure, lay.windows, lay.arch): lay.shape() for lay in layouts}
    judge(result, places, records[:-1], shapes)
    return result
