# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Events around a launch that tell the kernel's own time.

An idle GPU passes the first event as soon as it is given, and then waits for the host to prepare the launch: of a short
kernel that is most of the time between the events. So the stream is kept busy by a kernel that only waits, for as long as
the host needs to give both events and the launch; what the GPU passes later, it passes without waiting. What two events
and the beginning of any kernel take by themselves is measured with an empty kernel, and left out."""

import time

from .. import _native, driver, language as tl
from ..ahead import ASTSource, compile
from ..gpu import target_of
from ..jit import jit

LEAST_WAIT, MOST_WAIT = 20e-6, 500e-6  # seconds that the stream is kept busy before a launch
ROUNDS = 8  # to measure the empty kernel
# What CUPTI says of the empty kernel on an H200, where between events there are 2.7 us: the least that a kernel takes.
EMPTY_KERNEL = 0.6e-6


@jit
def wait(nanoseconds):
    end = tl.extra.cuda.globaltimer() + nanoseconds
    while tl.extra.cuda.globaltimer() < end:
        pass


class EventsAhead:
    """Of one GPU."""

    def __init__(self, device):
        self._device = driver.device_of(device, False)
        binary = compile(ASTSource(wait, {"nanoseconds": "i32"}), target_of(device))
        self._binary = binary
        self._wait = _native.LoadedKernel(_native.load(self._device, binary._code), device, binary._signature)
        self._needed, self._empty = LEAST_WAIT, None

    def launch(self, handle, launch):
        """Launches on the stream; gives the events before and after, and whether nothing but the kernel is between them."""
        stream = _native.Stream.borrow(self._device, handle)
        if self._empty is None:
            self._measure_empty(stream, handle)
        return self._between_events(stream, handle, launch)

    def seconds_between(self, before, after):
        """Of the kernel alone, whose events are done."""
        between = after.milliseconds_since(before) * 1e-3
        return max(between - self._empty, min(between, EMPTY_KERNEL))

    def _between_events(self, stream, handle, launch):
        for_how_long = min(max(2 * self._needed, LEAST_WAIT), MOST_WAIT)
        begin = time.perf_counter()
        self._wait.launch(self._binary, 1, 1, 1, handle, int(for_how_long * 1e9))
        before = stream.record()
        launch()
        after = stream.record()
        is_alone = not before.is_done()
        took = time.perf_counter() - begin
        # A host that was held up once is not waited for from now on.
        self._needed = took if took > self._needed else 0.9 * self._needed + 0.1 * took
        return before, after, is_alone

    def _measure_empty(self, stream, handle):
        empty = []
        self._empty = 0.0
        for _ in range(ROUNDS):
            before, after, is_alone = self._between_events(
                stream, handle, lambda: self._wait.launch(self._binary, 1, 1, 1, handle, 0))
            after.wait()
            if is_alone:
                empty.append(after.milliseconds_since(before) * 1e-3)
        if empty:
            self._empty = max(min(empty) - EMPTY_KERNEL, 0.0)
