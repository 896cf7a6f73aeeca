# SPDX-License-Identifier: Apache-2.0
"""scripts/analyse: static analysers over the tree."""
