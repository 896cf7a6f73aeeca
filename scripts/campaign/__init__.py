# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/fuzz: what a campaign over one target is made of."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Exit codes and messages to people are those of the conformance runner.
sys.path.insert(0, os.path.join(ROOT, "conformance"))
