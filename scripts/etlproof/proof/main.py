# SPDX-License-Identifier: Apache-2.0
"""Proves the contracts of the decoder with Frama-C's WP: each function fulfils its contract, ends, and has no run-time
error, for any input. Prints the goals of each file and those that are not proved, and writes decoder/proofs.tsv.

A file whose row says in its last column what is left may have that many unproved goals, and no more; --all and --changed
try these no longer than the others need. A file of decoder/src, decoder/memory or decoder/payload that defines functions
has a row.
"""
import glob
import os

from etlproof import ROOT
from runner import command
from runner.command import Parser, positive
from runner.failure import FAILED, INPUT, PASSED, Failure
from runner.progress import Line
from . import frama_c, table

NAME = "scripts/prove"
EPILOG = """\
exit status: 0 all goals are proved, but for those that are left, 1 some are not, 2 a tool is missing, 64 wrong usage,
66 cannot read or run, 70 an internal error, 74 cannot write, 130 interrupted
"""
MISSING = 2


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


def prove(name, rows, options):
    """Proves a file and updates its row. Returns whether all is proved that was. Goals that are left get all their time
    only if the file is named."""
    path = os.path.join(table.DECODER, name)
    before = rows.get(name)
    may_stay = before.goals - before.proved if before and before.left else 0
    proof = frama_c.prove(path, options.timeout, 0 if options.files else may_stay)
    print(f"decoder/{name}: {proof.proved:,} of {proof.goals:,} goals proved in {proof.seconds} s", flush=True)
    for goal in proof.unproved:
        print(f"  not proved: {goal}")
    left = proof.goals - proof.proved
    if left > may_stay:
        return False
    reason = before.left if before and left else ""
    rows[name] = table.Row(name, table.functions_of(path), *proof[:3], table.hash_of(path), reason)
    table.write(rows)
    return True


def chosen(options, rows):
    if options.changed:
        return stale(rows)
    if options.all:
        return [row.file for row in rows.values() if row.goals]
    return [named(path) for path in options.files]


def body(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    parser.add_argument("files", nargs="*", metavar="FILE", help="source files and headers of decoder/")
    parser.add_argument("--all", action="store_true", help="all files of the table")
    parser.add_argument("--changed", action="store_true", help="those that changed since they were proved")
    parser.add_argument("--timeout", type=positive(int), default=20, metavar="SECONDS",
                        help="of one prover for one goal (default: 20)")
    options = parser.parse_args(arguments)
    if options.all + options.changed + bool(options.files) != 1:
        parser.error("one of FILE, --all and --changed expected")
    rows = table.read()
    names = chosen(options, rows)
    unknown = [] if options.files else without_row(rows)
    for name in unknown:
        print(f"decoder/{name}: no row in {os.path.relpath(table.PATH, ROOT)}")
    missing = frama_c.missing() if names else []
    if missing:
        print(f"to prove: {', '.join(names)}; missing: {', '.join(missing)} (scripts/bootstrap prove)")
        return MISSING
    line, failed = Line(), []
    for number, name in enumerate(names, 1):
        line.say(f"proving {name}, {number} of {len(names)}")
        if not prove(name, rows, options):
            failed.append(name)
        line.clear()
    if not names and not unknown:
        print(f"nothing changed since the proofs of {sum(row.goals > 0 for row in rows.values())} files")
    return FAILED if failed or unknown else PASSED


def main(arguments):
    return command.run(NAME, lambda: body(arguments))
