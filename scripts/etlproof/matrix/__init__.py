# SPDX-License-Identifier: Apache-2.0
"""scripts/matrix: builds and tests for other compilers, machines and C standards."""
