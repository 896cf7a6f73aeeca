# SPDX-License-Identifier: Apache-2.0
"""Fuzzes one target with libFuzzer, AFL++ or both, and reports the crashes that reproduce.

A campaign starts from the seeds that the builder makes, with the structure-aware mutator and the target's dictionary.
build/fuzz/TARGET keeps its results: corpus/ and afl/ (inputs), findings/ (inputs that fail again), passed/ (inputs that
failed once and pass now), and one log per engine. Each crash is run again under AddressSanitizer and
UndefinedBehaviorSanitizer, and under MemorySanitizer if that found it.
"""
import os

from etlproof import ROOT
from runner import command
from runner.command import Parser, positive
from runner.failure import FAILED, INPUT, INTERRUPTED, OUTPUT, PASSED, USAGE, Failure
from . import builds, engine_run, engines, lock, machine, plan, reproducers, targets

ENGINES = {"libfuzzer": ["libfuzzer"], "libfuzzer-msan": ["libfuzzer-msan"], "afl": ["afl"], "both": ["libfuzzer", "afl"]}
NAME = "scripts/fuzz"
EPILOG = """\
examples:
  scripts/fuzz fuzz_event                        ten minutes with libFuzzer
  scripts/fuzz fuzz_file --engine both --minutes 60
  scripts/fuzz items --engine libfuzzer-msan --seconds 60 --empty

exit status: 0 no crash reproduces, 1 at least one does, 64 wrong usage, 66 cannot read, build or start, or an engine ended
early, 70 an internal error, 74 cannot write, or the disk is nearly full, 130 interrupted without a crash
"""


def parse_arguments(arguments):
    parser = Parser(prog=NAME, description=__doc__, epilog=EPILOG)
    add = parser.add_argument
    add("target", nargs="?", metavar="TARGET", help="a name from --list; the prefix fuzz_ is optional")
    add("--list", action="store_true", help="list the targets")
    add("--engine", choices=ENGINES, default="libfuzzer",
        help="libfuzzer: with ASan and UBSan; libfuzzer-msan: with MSan; afl: AFL++, plus CmpLog and ASan instances on "
             "spare processors; both (default: %(default)s)")
    add("--minutes", type=positive(int), metavar="N", default=10,
        help="fuzzing time, without builds (default: %(default)s)")
    add("--seconds", type=positive(int), metavar="N", help="fuzzing time in seconds, instead of --minutes")
    add("-j", "--jobs", type=positive(int), metavar="N", default=os.cpu_count() or 1,
        help="engines at the same time, at least one of each kind (default: %(default)s)")
    add("--seeds", metavar="FOLDER", help="start from these inputs instead of the builder's seeds")
    add("--large", action="store_true", help="make inputs up to the largest that the target is meant for, up to 128 KiB; "
                                             f"without it, up to {targets.USUAL >> 10} KiB, several times as fast")
    add("--empty", action="store_true", help="start from nothing: no seeds, and an empty corpus")
    add("--no-mutator", action="store_true", help="use only the engine's own mutations")
    add("--no-dictionary", action="store_true", help="run without the target's dictionary")
    add("--state", metavar="FOLDER", help="keep results here instead of build/fuzz/TARGET")
    return parser.parse_args(arguments)


def check(options):
    if options.target is None:
        raise Failure(USAGE, "TARGET expected; --list names them")
    if options.seeds and options.empty:
        raise Failure(USAGE, "--seeds and --empty exclude each other")
    if options.seeds:
        options.seeds = os.path.abspath(options.seeds)  # engines run in the tree, wherever the person is
    options.seconds = options.seconds or options.minutes * 60


def prepare(folder):
    try:
        os.makedirs(os.path.join(folder, "corpus"), exist_ok=True)
        os.makedirs(os.path.join(folder, "findings"), exist_ok=True)
    except OSError as error:
        raise Failure(OUTPUT, f"{folder}: cannot make the folder: {error.strerror}") from error
    machine.check_room(folder)


def replay_presets(parts):
    """The presets that crashes are run again on: libfuzzer, and the preset of the sanitizer that found them."""
    return list(dict.fromkeys(["libfuzzer", *(part.preset for part in parts if isinstance(part, engines.LibFuzzer))]))


def build_all(parts, target, log):
    """Builds each preset once."""
    wanted = {(preset, target.name) for preset in replay_presets(parts)}
    for part in parts:
        wanted.update({(part.preset, target.name), *part.extra_builds})
    for preset, name in sorted(wanted):
        builds.build(preset, name, log)


def idle_texts(parts):
    """Messages about engines that did not run: they must not look like engines that found nothing."""
    return [f"{part.name} did not run; the end of {part.log}:\n{part.log_end()}" for part in parts
            if not part.stats()["executions"]]


def report(parts, took):
    for part in parts:
        stats = part.stats()
        print(f"{part.name:14} {stats['executions']:>12,} executions, {stats['executions'] / max(took, 1):,.0f}/s, "
              f"{stats['edges'] or 0} of {stats['edges_total'] or '?'} edges, corpus of {stats['corpus'] or 0}")


def report_findings(folder, failing, passed):
    if failing:
        print(reproducers.text(failing).lstrip("\n"))
    if passed:
        print(f"inputs that failed once and pass now: {passed}, in {reproducers.passed_folder(folder)}")
    if not failing and not passed:
        print("nothing found")


def fuzz(options):
    check(options)
    target = targets.find(options.target)
    names = ENGINES[options.engine]
    for name in names:
        machine.check_engine(name, can_choose=True)
    folder = os.path.abspath(options.state or os.path.join(ROOT, "build", "fuzz", target.name))
    prepare(folder)
    with lock.take(folder):
        return fuzz_alone(folder, options, target, names)


def fuzz_alone(folder, options, target, names):
    """Runs the campaign while no other campaign uses the folder."""
    if options.empty:
        reproducers.collect(folder)  # of a campaign that was killed
        plan.forget(folder)
        prepare(folder)
    print(f"building {target.name}", flush=True)
    log = os.path.join(folder, "build.log")
    open(log, "w", encoding="utf-8").close()
    builds.build(*plan.SEEDS, log)
    seeds = None if options.empty else options.seeds or plan.made_seeds(target)
    if seeds:
        plan.check_seeds(seeds)
    chosen = plan.Plan(target, folder, seeds, not options.no_mutator, not options.no_dictionary,
                       options.large)
    parts = engines.engines_of(names, target, chosen, folder, options.jobs)
    build_all(parts, target, log)
    print(f"fuzzing {target.name} for {options.seconds} s with {', '.join(part.name for part in parts)}; Ctrl-C ends it "
          "early", flush=True)
    campaign = engine_run.Run(parts, folder, options.seconds)
    campaign.go()
    return finish(campaign, parts, target)


def finish(campaign, parts, target):
    """The exit code. Crashes are collected first, before anything else can fail."""
    reproducers.collect(campaign.folder)
    binaries = [builds.target_path(preset, target) for preset in replay_presets(parts)]
    failing, passed = reproducers.sift(campaign.folder, binaries)
    report(parts, campaign.took)
    problems = idle_texts(parts) + campaign.early
    if failing or passed or not problems:
        report_findings(campaign.folder, failing, passed)
    for text in problems:
        command.complain(NAME, text)
    if campaign.stopped:
        print(f"ended early: {campaign.stopped}")
    if campaign.full:
        command.complain(NAME, f"ended early: {campaign.full}")
    return exit_code(campaign, failing, problems)


def exit_code(campaign, failing, problems):
    if failing:
        return FAILED
    if campaign.stopped:
        return INTERRUPTED
    if campaign.full:
        return campaign.full.code
    return INPUT if problems else PASSED


def _main(arguments):
    options = parse_arguments(arguments)
    if options.list:
        for target in targets.load().values():
            print(f"{target.name:14} {target.input.lower():8} {target.takes}")
        return PASSED
    return fuzz(options)


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _main(arguments))
