# SPDX-License-Identifier: Apache-2.0
"""How commands end: the exit status and the message on standard error."""
import contextlib
import errno
import io
import signal
import sys
import time
import unittest

from runner import command
from runner.failure import FAILED, INPUT, INTERNAL, INTERRUPTED, OUTPUT, PASSED, USAGE, Failure


class EndingTest(unittest.TestCase):
    def ending(self, body, **named):
        """(exit status, standard error)"""
        before = signal.getsignal(signal.SIGTERM)
        self.addCleanup(signal.signal, signal.SIGTERM, before)
        self.addCleanup(setattr, sys, "unraisablehook", sys.unraisablehook)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            code = command.run("it", body, **named)
        return code, said.getvalue()

    def test_result_of_the_body(self):
        self.assertEqual((PASSED, ""), self.ending(lambda: PASSED))
        self.assertEqual((FAILED, ""), self.ending(lambda: FAILED))

    def test_failure(self):
        def body():
            raise Failure(INPUT, "x: no such file")
        self.assertEqual((INPUT, "it: x: no such file\n"), self.ending(body))

    def test_place_that_cannot_be_written(self):
        def body():
            raise OSError(errno.ENOSPC, "No space left on device", "out.etl")
        self.assertEqual((OUTPUT, "it: out.etl: No space left on device\n"), self.ending(body))

    def test_bug_prints_a_traceback(self):
        for error in (ValueError("surprise"), OSError(errno.ENOENT, "surprise", "x")):
            def body(error=error):
                raise error
            code, said = self.ending(body)
            self.assertEqual(INTERNAL, code)
            self.assertIn("exit_code_test.py", said)
            self.assertTrue(said.endswith("it: internal error: a bug of this program\n"))

    def test_interrupt(self):
        def body():
            signal.raise_signal(signal.SIGTERM)
        self.assertEqual((INTERRUPTED, "it: interrupted; --resume continues\n"),
                         self.ending(body, interrupted="interrupted; --resume continues"))

    def test_interrupt_where_exceptions_are_ignored(self):
        class Ignoring:
            def __del__(self):
                signal.raise_signal(signal.SIGTERM)

        def body():
            ignoring = Ignoring()
            del ignoring
            time.sleep(30)
        self.assertEqual((INTERRUPTED, "it: interrupted\n"), self.ending(body))


class CommandLineTest(unittest.TestCase):
    def refused(self, *arguments):
        parser = command.Parser(prog="it")
        parser.add_argument("--jobs", type=command.positive(int))
        with self.assertRaises(Failure) as caught:
            parser.parse_args(arguments)
        self.assertEqual(USAGE, caught.exception.code)
        return str(caught.exception)

    def test_wrong_usage_is_a_failure(self):
        self.assertEqual("unrecognized arguments: --job=3 (see --help)", self.refused("--job=3"))
        self.assertIn("invalid number value: 'x'", self.refused("--jobs", "x"))
        self.assertIn("more than 0 expected, found 0", self.refused("--jobs", "0"))
        self.assertIn("more than 0 expected, found -1", self.refused("--jobs=-1"))
        self.assertIn("less than 1,000,000,000 expected, found 1000000000", self.refused("--jobs=1000000000"))


if __name__ == "__main__":
    unittest.main()
