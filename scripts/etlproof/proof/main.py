# SPDX-License-Identifier: Apache-2.0
"""Proves the contracts of the decoder with Frama-C's WP: each function fulfils its contract, ends, and has no run-time
error, for any input. Prints the goals of each file and those that are not proved, and writes decoder/proofs.tsv.

A goal with a row in decoder/unproved.tsv may stay unproved, and no other; --all and --changed give it little time. A file
of decoder/src, decoder/memory or decoder/payload that defines functions has a row in decoder/proofs.tsv.
"""
import glob
import os
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

from etlproof import ROOT
from runner import command
from runner.command import Parser, positive
from runner.failure import FAILED, INPUT, PASSED, Failure
from runner.progress import Line
from . import frama_c, table

NAME = "scripts/prove"
EPILOG = """\
exit status: 0 all goals are proved, but for those of decoder/unproved.tsv, 1 some are not, 2 a tool is missing, 64 wrong
usage, 66 cannot read or run, 70 an internal error, 74 cannot write, 130 interrupted
"""
MISSING = 2
# With one prover for each, a file keeps a processor busy, but for the time in which Frama-C and the prover wait.
AT_ONCE = (os.cpu_count() or 1) + 1


def without_row(rows):
    found = [os.path.relpath(path, table.DECODER) for folder in ("src", "memory", "payload")
             for path in glob.glob(os.path.join(table.DECODER, folder, "*.c")) if table.functions_of(path)]
    return sorted(set(found) - set(rows))


def stale(rows):
    return [row.file for row in rows.values()
            if row.goals and table.hash_of(os.path.join(table.DECODER, row.file)) != row.hash]


def named(path):
    """The name of a file in the table."""
    full = os.path.realpath(path)
    if not os.path.isfile(full):
        raise Failure(INPUT, f"{path}: no such file")
    if not full.startswith(table.DECODER + os.sep):
        raise Failure(INPUT, f"{path}: a file of decoder/ expected")
    return os.path.relpath(full, table.DECODER)


def chosen(options, rows):
    if options.changed:
        return stale(rows)
    if options.all:
        return [row.file for row in sorted(rows.values(), key=lambda row: -row.seconds) if row.goals]
    return list(dict.fromkeys(named(path) for path in options.files))


def record(name, proof, known, rows):
    """Prints the proof of a file and updates its row. Returns whether all is proved that should be."""
    path = os.path.join(table.DECODER, name)
    print(f"decoder/{name}: {proof.proved:,} of {proof.goals:,} goals proved in {proof.seconds} s", flush=True)
    for goal in proof.unproved:
        print(f"  not proved: {goal}" + (f" ({known[goal]})" if goal in known else ""))
    for goal in sorted(known.keys() - proof.unproved):
        print(f"  proved, or gone, so that its row in {os.path.relpath(table.UNPROVED, ROOT)} can go: {goal}")
    if not known.keys() >= set(proof.unproved):
        return False
    rows[name] = table.Row(name, len(table.functions_of(path)), proof.goals, proof.proved, proof.seconds,
                           table.hash_of(path))
    table.write(rows)
    return True


def prove(names, rows, options):
    """Proves the files. Returns those that failed."""
    known, line, failed, begun, running = table.read_unproved(), Line(), [], time.monotonic(), set()
    frama = frama_c.FramaC(1 if len(names) > 1 else os.cpu_count())

    def prove_file(name):
        running.add(name)
        given_up = () if options.files else known.get(name, ())
        proof = frama.prove(os.path.join(table.DECODER, name), options.timeout, given_up)
        running.remove(name)
        return name, proof

    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            left = {pool.submit(prove_file, name) for name in names}
            while left:
                line.show(f"{len(names) - len(left)} of {len(names)} files, {time.monotonic() - begun:,.0f} s: "
                          f"{', '.join(sorted(running))}")
                done, left = wait(left, 1, FIRST_COMPLETED)
                for name, proof in (future.result() for future in done):
                    line.clear()
                    if not record(name, proof, known.get(name, {}), rows):
                        failed.append(name)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            frama.stop()
            raise
    line.clear()
    return failed


def body(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    parser.add_argument("files", nargs="*", metavar="FILE", help="source files and headers of decoder/")
    parser.add_argument("--all", action="store_true", help="all files of the table")
    parser.add_argument("--changed", action="store_true", help="those that changed since they were proved")
    parser.add_argument("--timeout", type=positive(int), default=60, metavar="SECONDS",
                        help="of one prover for one goal (default: 60)")
    options = parser.parse_args(arguments)
    if options.all + options.changed + bool(options.files) != 1:
        parser.error("one of FILE, --all and --changed expected")
    rows, begun = table.read(), time.monotonic()
    names = chosen(options, rows)
    unknown = [] if options.files else without_row(rows)
    for name in unknown:
        print(f"decoder/{name}: no row in {os.path.relpath(table.PATH, ROOT)}")
    missing = frama_c.missing() if names else []
    if missing:
        print(f"to prove: {', '.join(names)}; missing: {', '.join(missing)} (scripts/bootstrap prove)")
        return MISSING
    failed = prove(names, rows, options) if names else []
    if len(names) > 1:
        print(f"{len(names)} files in {time.monotonic() - begun:,.0f} s")
    if not names and not unknown:
        print(f"nothing changed since the proofs of {sum(row.goals > 0 for row in rows.values())} files")
    return FAILED if failed or unknown else PASSED


def main(arguments):
    return command.run(NAME, lambda: body(arguments))
