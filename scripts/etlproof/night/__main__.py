# SPDX-License-Identifier: Apache-2.0
"""What scripts/nightly runs once Python is installed."""
import sys

from .main import main

sys.exit(main(sys.argv[1:]))
