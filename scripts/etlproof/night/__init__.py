# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/nightly: one module a phase, and what they share."""
