# SPDX-License-Identifier: Apache-2.0
"""The package behind the commands in scripts/. Each command is a few lines that call one `main` of this package.

Messages, exit codes, limits on children and the reading of vectors come from the conformance runner, a package of its own
in conformance/. It is made importable here, and nowhere else.
"""
import os
import sys

if sys.version_info < (3, 11):
    sys.exit(f"scripts/{os.path.basename(sys.argv[0])}: needs Python 3.11 or later, this is {sys.version.split()[0]}")

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Real traces for tests and campaigns: beside the tree, or where the environment says. The folder need not exist.
SAMPLES = os.path.join(os.environ.get("ETLPROOF_SHARED", os.path.join(os.path.dirname(ROOT), "shared")), "samples")

sys.path.insert(1, os.path.join(ROOT, "conformance"))
