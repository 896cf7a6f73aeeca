# SPDX-License-Identifier: Apache-2.0
"""Measures the fuzz targets in three ways (--only picks one):

speed   executions per second, compared with a target that does nothing
growth  edges reached from an empty corpus, with the structure-aware mutator and without
reach   the share of the known coverage of the decode path that growth reached

Compare only numbers of one run on one machine.
"""
import os

from etlproof import ROOT
from etlproof.campaign import builds, lock, machine, plan, region_coverage, targets
from runner import command
from runner.command import Parser, positive
from runner.failure import PASSED
from runner.vectors import GOLDEN
from . import edge_growth, target_speed

FOLDER = os.path.join(ROOT, "build", "fuzz-bench")
RECIPES = os.path.join(ROOT, "conformance", "recipes")
NAME = "scripts/fuzz-bench"
EPILOG = """\
exit status: 0 measured, 64 wrong usage, 66 cannot read, build or run, or an engine ended early, 70 an internal
error, 74 cannot write, 130 interrupted
"""

# Wall-clock seconds of a measured session of libFuzzer.
SESSION_SECONDS = 8
SPEED_NOTE = """\
The first table replays files: each run costs the target and a copy of the input. The second table is a libFuzzer session in
which every other input skips the target. There an execution costs the time in the target and the engine's own work, which
grows with the coverage. Mutation costs the same with the target and without it; only the last ratio includes it, as
libFuzzer's own executions per second do."""


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    add = parser.add_argument
    add("targets", nargs="*", metavar="TARGET", help="default: all")
    add("--only", choices=("speed", "growth", "reach"))
    add("--rounds", type=positive(int), metavar="N", default=3,
        help="rounds of the speed measurement (default: %(default)s)")
    add("--seconds", type=positive(int), metavar="N", default=300,
        help="processor time of one growth trial (default: %(default)s)")
    add("--trials", type=positive(int), metavar="N", default=3, help="growth trials of each kind (default: %(default)s)")
    return parser.parse_args(arguments)


def prepare(chosen, parts):
    machine.check_room(FOLDER, otherwise="")
    log = os.path.join(FOLDER, "build.log")
    open(log, "w", encoding="utf-8").close()
    builds.build(*plan.SEEDS, log)
    preset_of = {"speed": target_speed.PRESET, "growth": "libfuzzer", "reach": region_coverage.PRESET}
    presets = [preset_of[part] for part in preset_of if part in parts]
    for preset in presets:
        builds.build_all(preset, ["fuzz_empty"] + [target.name for target in chosen], log)
    if "speed" in parts:
        builds.build_all(target_speed.SESSION_PRESET, [target.name + target_speed.TIMED for target in chosen], log)


def show_speed(chosen, rounds):
    print(f"{'executions a second of processor time':38} {'target':>12} {'empty':>12} {'ratio':>7}   inputs", flush=True)
    for target in chosen:
        found = target_speed.measure(target, rounds)
        print(f"{target.name:38} {found.target:>12,.0f} {found.empty:>12,.0f} {found.target / found.empty:>7.3f}   "
              f"{found.inputs} of {found.mean} bytes", flush=True)
    print(f"\n{'in a session of libFuzzer, microseconds':38} {'execution':>12} {'empty':>12} {'ratio':>7} "
          f"{'in target':>10} {'share':>7} {'mutation':>9} {'ratio':>7}", flush=True)
    for target in chosen:
        found = target_speed.session(target, rounds, SESSION_SECONDS)
        said = (found.empty + found.mutation) / (found.execution + found.mutation)
        print(f"{target.name:38} {found.execution:>12,.1f} {found.empty:>12,.1f} {found.empty / found.execution:>7.3f} "
              f"{found.target:>10,.1f} {found.target / found.execution:>7.1%} {found.mutation:>9,.1f} {said:>7.3f}",
              flush=True)
    print(SPEED_NOTE)


def show_growth(chosen, seconds, trials):
    print(f"\n{'from an empty corpus in ' + str(seconds) + ' s':38} {'edges':>8} {'features':>9} {'executions':>12}   "
          f"median of {trials}", flush=True)
    for target in chosen:
        for mutator in edge_growth.kinds(target):
            folders = [edge_growth.folder_of(FOLDER, target, mutator, number) for number in range(trials)]
            stats = [edge_growth.Trial(target, folder, mutator, seconds).go() for folder in folders]
            found = edge_growth.medians(stats)
            kind = f"{target.name} {'with' if mutator else 'without'} the mutator"
            print(f"{kind:38} {found['edges']:>8,.0f} {found['features']:>9,.0f} {found['executions']:>12,.0f}", flush=True)


def known_folders(target):
    """The folders with inputs of the target, without the vectors: seeds, regressions, and the corpora of campaigns and
    trials."""
    trials = [os.path.join(FOLDER, name) for name in sorted(os.listdir(FOLDER)) if name.startswith(target.name + "-w")]
    campaign = os.path.join(ROOT, "build", "fuzz", target.name)
    return [plan.made_seeds(target), os.path.join(ROOT, "corpus", "regressions", target.name),
            *(os.path.join(folder, "corpus") for folder in [campaign, *trials])]


def vectors(target):
    """The paths of the vectors, or of their recipes, that are valid inputs of the target."""
    folder, ending = {"FILE": (GOLDEN, ".etl"), "RECIPE": (RECIPES, ".recipe")}.get(target.input, (None, None))
    if folder is None:
        return []
    return [entry.path for group in os.scandir(folder) if group.is_dir()
            for entry in os.scandir(group.path) if entry.name.endswith(ending)]


def show_reach(chosen):
    print(f"\n{'regions of decoder/src':38} {'from empty':>11} {'of known':>9} {'share':>7}", flush=True)
    for target in chosen:
        learned = os.path.join(edge_growth.folder_of(FOLDER, target, target.has_structure, 0), "corpus")
        if not os.path.isdir(learned):
            print(f"{target.name:38} {'not grown yet: --only growth first':>29}")
            continue
        some, _ = region_coverage.reached(target, [learned])
        every, _ = region_coverage.reached(target, known_folders(target), vectors(target))
        share = f"{some / every:7.1%}" if every else "      -"
        print(f"{target.name:38} {some:>11,} {every:>9,} {share}", flush=True)


def _main(arguments):
    options = parse_arguments(arguments)
    parts = [options.only] if options.only else ["speed", "growth", "reach"]
    machine.check_engine("libfuzzer")
    if "reach" in parts:
        machine.check_coverage()
    os.makedirs(FOLDER, exist_ok=True)
    with lock.take(FOLDER, otherwise=""):
        return measure(options, parts)


def measure(options, parts):
    chosen = [targets.find(name) for name in options.targets] or list(targets.load().values())
    prepare(chosen, parts)
    if "speed" in parts:
        show_speed(chosen, options.rounds)
    if "growth" in parts:
        show_growth(chosen, options.seconds, options.trials)
    if "reach" in parts:
        show_reach(chosen)
    return PASSED


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _main(arguments))
