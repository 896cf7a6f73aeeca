# SPDX-License-Identifier: Apache-2.0
"""The build phase: builds what the other phases need. A preset that cannot be built is reported as a problem of the
night, which continues with the others."""
import os

from etlproof import ROOT, source_hash
from etlproof.campaign import builds, engines, plan, region_coverage
from runner.failure import Failure
from . import minimise

MAKER = "release"  # builds the seeds and the shared objects that the engines load
# Every failing input and every regression runs on these.
REPLAY = ("libfuzzer", "libfuzzer-msan")
# The sources that targets test: the decoder and the builder, and what checks them. Time without a finding counts for them.
TESTED = ("decoder", "conformance/builder", "harness/oracle", "harness/targets")
_TOOLS = ("etlproof_tool", "etlproof_host", "etlproof_carve", "etlproof_build")


def tested():
    """The hash of the sources that targets test."""
    return source_hash.hash_of(ROOT, TESTED, but=("*/tests/*",))


def needed(coming, targets):
    """{preset: CMake targets}, in the order in which they are built."""
    wanted = {MAKER: {plan.SEEDS[1], *_TOOLS}}
    for preset in (*REPLAY, region_coverage.PRESET, *minimise.PRESETS):
        wanted[preset] = set(targets)
    for name, configuration in coming:
        for preset, made in engines.builds_of(configuration, targets[name]):
            wanted.setdefault(preset, set()).add(made)
    return wanted


def phase(night):
    wanted = needed(night.coming(), night.targets)
    log = night.state.path("logs", "build.log")
    open(log, "w", encoding="utf-8").close()
    for preset, names in wanted.items():
        night.status.say(f"building {preset}")
        try:
            builds.build_all(preset, sorted(names), log)
            night.built.update((preset, name) for name in names)
        except Failure as failure:
            night.problem(str(failure))
    built = [preset for preset, names in wanted.items() if all((preset, name) in night.built for name in names)]
    return f"{', '.join(built)}; the log is {os.path.relpath(log)}", None
