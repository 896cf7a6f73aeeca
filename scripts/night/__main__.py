# SPDX-License-Identifier: Apache-2.0
"""What scripts/nightly runs once there is a Python."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from night.main import main  # noqa: E402  (found only by the line above)

sys.exit(main(sys.argv[1:]))
