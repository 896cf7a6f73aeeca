# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/triage: from files that make a target or a parser fail to one bucket for each bug."""
