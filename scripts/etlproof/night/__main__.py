# SPDX-License-Identifier: Apache-2.0
"""What scripts/nightly runs once Python is installed."""
import sys

from etlproof import interpreter

interpreter.prefer_one_with("jinja2")

from .main import main  # noqa: E402  (needs jinja2)

sys.exit(main(sys.argv[1:]))
