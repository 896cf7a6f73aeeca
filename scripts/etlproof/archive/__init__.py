# SPDX-License-Identifier: Apache-2.0
"""scripts/archive: the vectors and the runner as packages."""
