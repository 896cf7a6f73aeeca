# SPDX-License-Identifier: Apache-2.0
"""scripts/coverage: lines and branches of the library that the tests reach."""
