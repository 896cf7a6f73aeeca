# SPDX-License-Identifier: Apache-2.0
"""The phase that runs the conformance suite on the decoder."""
import os
import sys

from etlproof import ROOT
from etlproof.campaign import children
from runner import report_jsonl
from runner.failure import FAILED, INPUT, PASSED, Failure
from runner.columns import FAILURES
from . import build


def phase(night):
    folder, log = night.state.path("conformance"), night.state.path("logs", "conformance.log")
    host = os.path.join(ROOT, "build", build.MAKER, "bin", "etlproof-host")
    policy = os.path.join(ROOT, "conformance", "adapters", "etlproof", "policy.txt")
    command = [sys.executable, "-B", os.path.join(ROOT, "conformance", "run"), "--mode", "long-lived", "--jobs",
               str(night.run()["jobs"]), "--policy", policy, "--report", folder, "--", host]
    with open(log, "w", encoding="utf-8") as file:
        status = children.run(command, stdout=file, stderr=file)
    if status not in (PASSED, FAILED):
        with open(log, encoding="utf-8", errors="replace") as file:
            raise Failure(INPUT, f"the conformance suite could not be run: {file.read()[-500:].strip()}")
    # The host has not passed a vector that it did not run.
    results = [result for result in report_jsonl.load(os.path.join(folder, report_jsonl.NAME)).results
               if result["verdict"] != "unsupported"]
    failed = [result["id"] for result in results if result["verdict"] in FAILURES]
    if failed:
        night.problem(f"{len(failed)} vectors fail, {failed[0]} first; all are in {folder}")
    passed = len(results) - len(failed)
    return f"{passed:,} of {len(results):,} vectors passed", {"vectors": len(results), "passed": passed}
