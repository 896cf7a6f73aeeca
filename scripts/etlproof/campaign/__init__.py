# SPDX-License-Identifier: Apache-2.0
"""scripts/fuzz: a fuzzing campaign over one target."""
