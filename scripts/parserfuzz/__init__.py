# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/fuzz-parser, which fuzzes someone else's parser and holds it to the reference decode."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Asking parsers and judging their answers is the work of the conformance runner.
sys.path.insert(0, os.path.join(ROOT, "conformance"))
