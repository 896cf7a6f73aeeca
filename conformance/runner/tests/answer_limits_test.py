# SPDX-License-Identifier: Apache-2.0
"""An answer that is far longer than the expected decode ends early in both modes, with a clear verdict."""
import sys
import unittest
from unittest import mock

from .. import answer_limits, long_lived, one_shot
from ..answer_limits import BYTES_LEAST, VALUES_LEAST, WIDEST
from ..jsonlines import NotJson, decode, decode_lines
from ..limits import Children, Limits
from ..parser_under_test import Parser

VECTOR = {"id": "a", "path": "a.etl", "size": 40, "expect": [{"rec": "end"}]}
WEIGHT = 40 + len('[{"rec": "end"}]')
DESCRIPTION = {"name": "long", "records": {"event": ["*"]}}
PREFIX = '{"id":"a","verdict":"accept","records":['


class LimitsTest(unittest.TestCase):
    def test_limits_grow_with_the_vector(self):
        self.assertEqual((BYTES_LEAST + 16 * WEIGHT, VALUES_LEAST + WEIGHT), answer_limits.of_vector(VECTOR))
        self.assertEqual(WIDEST, answer_limits.of_vector({**VECTOR, "size": 1 << 40}))

    def test_file_without_an_expected_decode(self):
        self.assertEqual(WIDEST, answer_limits.of_vector({"id": "a", "path": "a.etl"}))

    def test_values_are_counted(self):
        for read, few, many in ((decode, "[1,2]", "[1,2,3]"), (decode_lines, b"{}\n{}\n", b"{}\n{}\n{}\n")):
            read(few, 4)
            with self.assertRaisesRegex(NotJson, "more than 4 values" if read is decode_lines else "more than 2 values"):
                read(many, 4 if read is decode_lines else 2)


class AnswerTest(unittest.TestCase):
    def setUp(self):
        self.enterContext(mock.patch.object(answer_limits, "BYTES_LEAST", 1 << 20))
        self.enterContext(mock.patch.object(answer_limits, "VALUES_LEAST", 1000))
        self.enterContext(mock.patch.object(one_shot, "STDERR_MAX", 1 << 20))

    def one_shot(self, code):
        parser = Parser([sys.executable, "-c", code], "one-shot", DESCRIPTION)
        answer = one_shot.run_vector(parser, VECTOR, Limits(), Children())
        return answer.outcome, answer.reason

    def test_one_shot(self):
        self.assertEqual(("accept", ""), self.one_shot("print('{}\\n' * 500)"))
        self.assertEqual(("crash", "protocol: more than 1,056 values"), self.one_shot("print('{}\\n' * 5000)"))
        self.assertEqual(("crash", "protocol: printed more than 1 MiB"), self.one_shot("print(' ' * (2 << 20))"))
        self.assertEqual(("crash", "protocol: printed more than 1 MiB"),
                         self.one_shot("import sys; print(' ' * (2 << 20), file=sys.stderr)"))

    def long_lived(self, line):
        code = f"input(); print('{{\"ready\":true}}', flush=True); input(); print({line}, flush=True); input()"
        parser = Parser([sys.executable, "-c", code], "long-lived", DESCRIPTION)
        answers, left = [], iter([VECTOR])
        long_lived.Worker(parser, Limits(), Children(), lambda: next(left, None),
                          lambda _, answer: answers.append((answer.outcome, answer.reason[:60]))).run()
        return answers[-1]

    def test_long_lived(self):
        self.assertEqual(("accept", ""), self.long_lived(f"'{PREFIX}' + '{{}},' * 400 + '{{}}]}}'"))
        outcome, reason = self.long_lived(f"'{PREFIX}' + '{{}},' * 4000 + '{{}}]}}'")
        self.assertEqual("crash", outcome)
        self.assertIn("more than 1,056 values", reason)
        for endless in ("' ' * (2 << 20)", "' ' * (2 << 20), end=''"):
            self.assertEqual(("crash", "protocol: a line of more than 1 MiB"), self.long_lived(endless))


if __name__ == "__main__":
    unittest.main()
