# SPDX-License-Identifier: Apache-2.0
"""Tests that Frama-C proves a right contract and not a wrong one. Ends with 77, skipped, where it is not installed."""
import sys
import unittest

from . import frama_c
from .proof_test import Case


class WrongContractTest(Case):
    def test_wrong_contract_is_not_proved(self):
        self.assertEqual([], frama_c.prove(self.path, 5).unproved)
        proof = frama_c.prove(self.write(result=2), 5)
        self.assertEqual((1, ["typed_f_ensures"]), (proof.goals - proof.proved, proof.unproved))


if __name__ == "__main__":
    if frama_c.missing():
        sys.exit(77)
    unittest.main()
