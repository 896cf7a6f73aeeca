# SPDX-License-Identifier: Apache-2.0
"""Tests that Frama-C proves a right contract and not a wrong one. Ends with 77, skipped, where it is not installed."""
import sys
import unittest

from . import frama_c
from .proof_test import Case


class WrongContractTest(Case):
    def test_wrong_contract_is_not_proved(self):
        frama = frama_c.FramaC(provers=2)
        self.assertEqual([], frama.prove(self.path, 5).unproved)
        self.assertEqual(["typed_f_ensures"], frama.prove(self.write(result=2), 5).unproved)


if __name__ == "__main__":
    if frama_c.missing():
        sys.exit(77)
    unittest.main()
