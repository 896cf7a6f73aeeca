# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/nightly: one module a phase, and what they share."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Exit codes and messages to people are those of the conformance runner.
sys.path.insert(0, os.path.join(ROOT, "conformance"))
