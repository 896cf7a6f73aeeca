# SPDX-License-Identifier: Apache-2.0
"""What a night and a crash leave to read: HTML pages that open offline, and SARIF."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What all pages share is the conformance runner's: they are siblings.
sys.path.insert(0, os.path.join(ROOT, "conformance"))
