# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/triage: from files that make a target or a parser fail to one bucket for each bug."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Exit codes, messages to people and limits on children are those of the conformance runner.
sys.path.insert(0, os.path.join(ROOT, "conformance"))
