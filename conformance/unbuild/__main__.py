# SPDX-License-Identifier: Apache-2.0
"""`python3 -m unbuild`, from conformance/ or wherever it is in PYTHONPATH."""
import sys

from .main import main

sys.exit(main(sys.argv[1:]))
