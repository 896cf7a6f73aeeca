# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/fuzz: what a campaign over one target is made of."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Where real traces are kept, if they are: beside the tree, or where the environment says.
SAMPLES = os.path.join(os.environ.get("ETLPROOF_SHARED", os.path.join(os.path.dirname(ROOT), "shared")), "samples")
# Exit codes and messages to people are those of the conformance runner.
sys.path.insert(0, os.path.join(ROOT, "conformance"))
