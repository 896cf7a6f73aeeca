# SPDX-License-Identifier: Apache-2.0
"""scripts/nightly: one module per phase, and what they share."""
