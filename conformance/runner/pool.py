# SPDX-License-Identifier: Apache-2.0
"""Runs the parser on all vectors, several at the same time."""
import threading

from . import long_lived, one_shot
from .limits import Stopped


class Pool:
    """Runs `vectors` in threads; `give(vector, answer)` is called from them, one at a time. Each is taken from the iterator
    when the parser is asked about it."""

    def __init__(self, parser, vectors, limits, jobs, children, give):
        self.parser, self.limits, self.children = parser, limits, children
        self._vectors = vectors
        self._give = give
        self._take_lock, self._give_lock = threading.Lock(), threading.Lock()
        self._ended = threading.Condition()
        self.failure = None  # the first exception of a thread
        self._left = jobs
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(jobs)]

    def start(self):
        for thread in self._threads:
            thread.start()

    def wait(self, seconds):
        """Whether all vectors are done. Raises the first exception of a thread."""
        with self._ended:
            self._ended.wait_for(lambda: self._left == 0 or self.failure, seconds)
        if self.failure:
            self.stop()
            raise self.failure
        return self._left == 0

    def stop(self):
        """Kills the running parsers and waits for the threads."""
        self.children.stop()
        for thread in self._threads:
            if thread.ident:
                thread.join(5)

    def _work(self):
        try:
            if self.parser.mode == "one-shot":
                self._one_shot()
            else:
                long_lived.Worker(self.parser, self.limits, self.children, self._take, self._take_answer).run()
        except Stopped:
            pass
        except BaseException as error:  # the main thread raises it
            self.failure = self.failure or error
        with self._ended:
            self._left -= 1
            self._ended.notify_all()

    def _one_shot(self):
        while (vector := self._take()) is not None:
            self._take_answer(vector, one_shot.run_vector(self.parser, vector, self.limits, self.children))

    def _take(self):
        with self._take_lock:
            return None if self.children.stopped else next(self._vectors, None)

    def _take_answer(self, vector, answer):
        # The output of a process that was stopped is no answer.
        if self.children.stopped:
            return
        with self._give_lock:
            self._give(vector, answer)
