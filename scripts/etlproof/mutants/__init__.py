# SPDX-License-Identifier: Apache-2.0
"""scripts/mutation: the mutation test of the vectors."""
