# SPDX-License-Identifier: Apache-2.0
"""scripts/triage: sorts failing inputs into one bucket per bug."""
