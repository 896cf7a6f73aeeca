# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/fuzz: what a campaign over one target is made of."""
