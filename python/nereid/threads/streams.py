# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams, events and devices under Numba's names. Work in the host's memory is done when a launch returns."""

import contextlib
import time

from .. import driver, gpu


class Stream:
    """The default stream, which is all there is here so far: work is done in order."""

    handle = 0

    def synchronize(self):
        synchronize()

    @contextlib.contextmanager
    def auto_synchronize(self):
        yield self
        self.synchronize()

    def __int__(self):
        return self.handle


_default = Stream()


def stream():
    return _default


def default_stream():
    return _default


legacy_default_stream = per_thread_default_stream = default_stream


def external_stream(handle):
    other = Stream()
    other.handle = handle
    return other


def stream_handle(given):
    """As the dispatcher takes it: None is the one on which the program works."""
    handle = getattr(given, "handle", given)
    return getattr(handle, "value", handle) or None


def synchronize():
    """Waits until all work on the GPU is done."""
    if gpu.is_available():
        from .arrays import wait

        wait()


class Event:
    """A point in the order of work."""

    def __init__(self, timing=True):
        self._time = None

    def record(self, stream=None):
        synchronize()
        self._time = time.perf_counter()

    def synchronize(self):
        pass

    wait = synchronize

    def query(self):
        return True

    def elapsed_time(self, end):
        """In milliseconds."""
        return (end._time - self._time) * 1e3


def event(timing=True):
    return Event(timing)


def event_elapsed_time(begin, end):
    return begin.elapsed_time(end)


class Device:
    """What kernels run on."""

    WARP_SIZE = 32
    MAX_THREADS_PER_BLOCK = 1024
    MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_Y, MAX_BLOCK_DIM_Z = 1024, 1024, 64
    MAX_GRID_DIM_X, MAX_GRID_DIM_Y, MAX_GRID_DIM_Z = 2**31 - 1, 65535, 65535

    def __init__(self, number=0):
        self.id = number

    @property
    def compute_capability(self):
        return (gpu.info(self.id).sm_major, gpu.info(self.id).sm_minor) if gpu.is_available() else (9, 0)

    @property
    def name(self):
        from .. import _native

        return (gpu.info(self.id).name if gpu.is_available() else _native.cpu_name()).encode()

    @property
    def MULTIPROCESSOR_COUNT(self):
        return gpu.info(self.id).multiprocessors if gpu.is_available() else driver.open_device("cpu").threads

    def reset(self):
        pass


class Context:
    """The device's, for programs that ask for it."""

    def __init__(self, device):
        self.device = device

    def synchronize(self):
        synchronize()

    def get_memory_info(self):
        memory = gpu.info(self.device.id).memory if gpu.is_available() else 0
        return memory, memory

    def reset(self):
        pass

    def push(self):
        pass

    def pop(self):
        pass


_device = Device()
gpus = list_devices = lambda: [_device]


def get_current_device():
    return _device


def select_device(number):
    if number != 0:
        raise ValueError(f"there is one device, number 0, and not {number}")
    return Context(_device)


def current_context(number=None):
    return Context(_device)


def is_available():
    """There is an executor in any case."""
    return True


def detect():
    print(f"Found 1 device: {_device.name.decode()}")
    return True


def close():
    pass


@contextlib.contextmanager
def defer_cleanup():
    yield


@contextlib.contextmanager
def profiling():
    yield


def profile_start():
    pass


profile_stop = profile_start
