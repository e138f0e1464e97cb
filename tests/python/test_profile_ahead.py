# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of a program that are timed on a GPU, where there is none: what the driver is given, and in which order.
gpu/test_profile.py says whether the times are right."""

import ctypes
import os
import sys
import types
import unittest
from unittest import mock

from running import main, require

FAKE = os.environ.get("NEREID_TEST_FAKE_CUDA", "")
if not FAKE:
    print("skipped: NEREID_TEST_FAKE_CUDA names no driver to test with")
    sys.exit(77)
os.environ["NEREID_LIBCUDA"] = FAKE
os.environ.setdefault("FAKE_CUDA", "devices=1 kernel=kernel_copy:8,8 kernel=kernel_wait:4")
require("numpy")

import nereid
import nereid.language as tl
from nereid import _native, driver
from nereid.profiling import ahead, report
from nereid.profiling.recorder import Recorder

library = ctypes.CDLL(FAKE)
library.fakeCudaTakeLaunches.restype = ctypes.c_char_p


@nereid.jit
def copy(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


def launches():
    """Name, stream and first value of each since the last call."""
    words = [line.split() for line in library.fakeCudaTakeLaunches().decode().splitlines()]
    return [(word[0], int(word[8]), int(word[10].split(",")[0])) for word in words]


class Array:

    def __init__(self, memory):
        self.memory = memory
        self.__cuda_array_interface__ = {"shape": (64,), "typestr": "<f4", "data": (memory.address, False), "version": 3,
                                         "stream": None}


class Events(unittest.TestCase):

    def setUp(self):
        self.device = driver.device_of(0, False)
        self.arrays = [Array(_native.DeviceMemory(self.device, 256)) for _ in range(2)]
        copy[(1,)](*self.arrays, BLOCK=64)
        launches()

    def recorded(self, times):
        recorder = Recorder(analysis_seconds=0.0)
        recorder.start()
        try:
            for _ in range(times):
                copy[(1,)](*self.arrays, BLOCK=64)
        finally:
            recorder.stop()
        return recorder

    def test_a_waiting_kernel_precedes_each_launch(self):
        recorder = self.recorded(3)
        seen = launches()
        # First what two events take by themselves, around an empty kernel; then the program's launches.
        self.assertEqual([name for name, _, _ in seen],
                         ["kernel_wait"] * 2 * ahead.ROUNDS + ["kernel_wait", "kernel_copy"] * 3)
        self.assertTrue(all(value == 0 for _, _, value in seen[1:2 * ahead.ROUNDS:2]))
        waits = [value for name, _, value in seen if name == "kernel_wait" and value]
        self.assertTrue(all(ahead.LEAST_WAIT * 1e9 <= value <= ahead.MOST_WAIT * 1e9 + 1 for value in waits), waits)
        self.assertEqual([launch.kernel for launch in recorder.launches], ["copy"] * 3)
        self.assertTrue(all(launch.is_alone and launch.seconds is not None for launch in recorder.launches))
        self.assertNotIn("too late", report.as_text(recorder))

    def test_the_empty_kernel_is_left_out(self):
        events = ahead.EventsAhead(0)
        events._empty = 5e-6
        at = lambda microseconds: types.SimpleNamespace(milliseconds_since=lambda other: microseconds * 1e-3)
        self.assertAlmostEqual(events.seconds_between(None, at(17)), 12e-6)
        self.assertAlmostEqual(events.seconds_between(None, at(5.5)), ahead.EMPTY_KERNEL)
        self.assertAlmostEqual(events.seconds_between(None, at(0.5)), 0.5e-6)

    def test_launches_that_come_too_late_are_said(self):
        """What waits for the GPU inside of the launch has let it pass the first event."""
        events = ahead.EventsAhead(0)
        stream = _native.Stream.borrow(self.device, 0)
        self.assertTrue(events.launch(0, lambda: None)[2])
        self.assertFalse(events.launch(0, stream.synchronize)[2])
        with mock.patch.object(ahead.EventsAhead, "launch", lambda self, handle, launch:
                                        (launch(), stream.record(), stream.record(), False)[1:]), \
                mock.patch.object(ahead.EventsAhead, "seconds_between", lambda self, before, after: 1e-6):
            recorder = self.recorded(2)
        self.assertIn("2 of them were given to the GPU too late", report.as_text(recorder))
        self.assertEqual(report.as_document(recorder)["kernels"][0]["with_launch"], 2)

    def test_a_slow_host_is_waited_for(self):
        """After launches that took the host long the stream is kept busy for longer, but not for ever."""
        events = ahead.EventsAhead(0)
        events._empty, events._needed = 0.0, 0.0
        for took, waited in ((100e-6, ahead.LEAST_WAIT), (1.0, 200e-6), (0, ahead.MOST_WAIT)):
            with mock.patch.object(ahead.time, "perf_counter", side_effect=[0, took]):
                launches()
                events.launch(0, lambda: None)
            (_, _, value), = launches()
            self.assertAlmostEqual(value, waited * 1e9, delta=1)


if __name__ == "__main__":
    main()
