# SPDX-License-Identifier: Apache-2.0
"""Makes a mutant smaller by its structure as long as it shows the same finding. The mutator's own trimming is called in
this process, so that a step costs a question to the parser and not the start of a program."""
import ctypes
import os
import time

_SIZE, _BYTES = ctypes.c_size_t, ctypes.POINTER(ctypes.c_uint8)


class Trimmer:
    """`library` is the mutator as AFL++ loads it. It has no other door: `usable` is False where it was not built."""

    def __init__(self, library):
        self._core = None
        if os.path.exists(library):
            os.environ["ETLPROOF_INPUT"] = "file"
            self._core = _declare(ctypes.CDLL(library))

    @property
    def usable(self):
        return self._core is not None

    def trim(self, image, holds, seconds):
        """(the smallest that holds, whether it came to its end within the seconds)."""
        until = time.monotonic() + seconds
        best, whole = image, False
        while not whole and time.monotonic() < until:
            smaller, whole = self._once(best, holds, until)
            whole = whole and len(smaller) == len(best)
            best = smaller
        return best, whole

    def _once(self, image, holds, until):
        core, best = self._core, image
        state = core.afl_custom_init(None, 0)
        try:
            given = (ctypes.c_uint8 * max(1, len(image))).from_buffer_copy(image or b"\0")
            steps = core.afl_custom_init_trim(state, given, len(image))
            step = 0
            while step < steps:
                if time.monotonic() >= until:
                    return best, False
                at = _BYTES()
                size = core.afl_custom_trim(state, ctypes.byref(at))
                candidate = ctypes.string_at(at, size)
                held = holds(candidate)
                best = candidate if held else best
                step = core.afl_custom_post_trim(state, int(held))
            return best, True
        finally:
            core.afl_custom_deinit(state)


def _declare(core):
    core.afl_custom_init.argtypes, core.afl_custom_init.restype = [ctypes.c_void_p, ctypes.c_uint], ctypes.c_void_p
    core.afl_custom_deinit.argtypes, core.afl_custom_deinit.restype = [ctypes.c_void_p], None
    core.afl_custom_init_trim.argtypes = [ctypes.c_void_p, _BYTES, _SIZE]
    core.afl_custom_trim.argtypes, core.afl_custom_trim.restype = [ctypes.c_void_p, ctypes.POINTER(_BYTES)], _SIZE
    core.afl_custom_post_trim.argtypes = [ctypes.c_void_p, ctypes.c_uint8]
    return core
