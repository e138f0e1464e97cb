# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams and events under Numba's names. Work in the host's memory is done when a launch returns, in whatever stream."""

import contextlib
import ctypes
import time
import weakref

from .. import _native
from . import selected

_live: weakref.WeakSet = weakref.WeakSet()  # which synchronize() waits for
_borrowed: dict = {}  # kept, since the last handle of a stream waits for its work


class Stream:
    """Work in order: of a GPU, or of the host, where nothing is left to wait for."""

    def __init__(self, native=None):
        self._native = native

    @property
    def handle(self):
        return ctypes.c_void_p(self._native.handle if self._native else 0)

    def synchronize(self):
        if self._native:
            self._native.synchronize()

    @contextlib.contextmanager
    def auto_synchronize(self):
        yield self
        self.synchronize()

    def add_callback(self, callback, arg=None):
        """Calls it once the work so far is done, for which it waits."""
        self.synchronize()
        callback(self, 0, arg)

    def __int__(self):
        return self.handle.value or 0

    def __repr__(self):
        return f"<CUDA stream {int(self)}>" if int(self) else "<Default CUDA stream>"


def stream():
    """A new one, which waits for the default stream's work as that waits for its own."""
    if not selected.uses_gpu():
        return Stream()
    made = Stream(_native.Stream.open(selected.opened()))
    _live.add(made)
    return made


def external_stream(handle, number=None):
    """Another library's, of the current GPU if no other is meant."""
    if not selected.uses_gpu():
        return Stream()
    number = selected.current_number() if number is None else number
    key = number, int(handle)
    if key not in _borrowed:
        _borrowed[key] = Stream(_native.Stream.borrow(selected.opened(number), key[1]))
    return _borrowed[key]


def default_stream():
    return external_stream(0)


legacy_default_stream = default_stream


def per_thread_default_stream():
    return external_stream(2) if selected.uses_gpu() else Stream()  # as the driver calls it


def stream_handle(given):
    """As the dispatcher takes it: None is the one on which the program works."""
    handle = getattr(given, "handle", given)
    return getattr(handle, "value", handle) or None


def stream_of(given, number=None):
    """What a program gave for a stream: one of ours, another library's, its number, or 0 for the default of a GPU."""
    return given if isinstance(given, Stream) else external_stream(stream_handle(given) or 0, number)


def synchronize():
    """Waits until all work that was given to the current GPU is done."""
    if selected.uses_gpu():
        for one in [*_live, default_stream()]:
            one.synchronize()


class Event:
    """A point in a stream's work."""

    def __init__(self, timing=True):
        self._native = self._time = None

    def record(self, stream=0):
        if selected.uses_gpu():
            self._native = stream_of(stream)._native.record()
        else:
            self._time = time.perf_counter()

    def synchronize(self):
        if self._native:
            self._native.wait()

    def wait(self, stream=0):
        """What the stream is given from now on begins after it."""
        if self._native:
            stream_of(stream)._native.wait(self._native)

    def query(self):
        return self._native is None or self._native.is_done()

    def elapsed_time(self, end):
        """In milliseconds."""
        if self._native and end._native:
            return end._native.milliseconds_since(self._native)
        if self._time is None or end._time is None:
            raise ValueError("an event that was not recorded has no time")
        return (end._time - self._time) * 1e3


def event(timing=True):
    return Event(timing)


def event_elapsed_time(begin, end):
    return begin.elapsed_time(end)


@contextlib.contextmanager
def defer_cleanup():
    yield


@contextlib.contextmanager
def profiling():
    yield


def profile_start():
    pass


profile_stop = profile_start
