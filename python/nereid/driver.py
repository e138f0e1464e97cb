# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels run on."""

import ctypes
import functools
import os

from . import _native, gpu, knobs
from .machine import properties
from .target import GPUTarget, cpp_type, current_compilation
from .timing import bench


_open: dict = {}  # no lru_cache: PyTorch's compiler warns of those that it traces through


def open_device(name, threads=0, finds_all=False):
    """A device that stays open: one for each setting of the compiler's choices, which it reads when it is opened."""
    key = name, threads, finds_all, os.environ.get("NEREID_POLICY", "")
    if key not in _open:
        _open[key] = _native.Device(name, threads, finds_all)
    return _open[key]


def device_of(cuda_device, is_checked):
    """The device of arrays that lie on a CUDA device, or, for -1, in the host's memory."""
    if cuda_device >= 0:
        return open_device(f"cuda:{cuda_device}")
    threads = _native.number_in(os.environ.get("NEREID_THREADS", "")) or 0
    return open_device("check", threads, knobs.runtime.check) if is_checked else open_device("cpu", threads)


def default_cuda_device():
    """Where kernels run that have no arrays: the current CUDA device, or -1, the host."""
    return config.active.get_current_device() if isinstance(config.active, gpu.CudaDriver) else -1


class DeviceInterface:
    """Stands for torch.cuda where there is no GPU: work is done when a launch returns."""

    class Event:

        def __init__(self, enable_timing=False):
            self._time = None

        def record(self, stream=None):
            import time

            self._time = time.perf_counter()

        def elapsed_time(self, end):
            """In milliseconds."""
            return (end._time - self._time) * 1e3

        def synchronize(self):
            pass

    @staticmethod
    def synchronize(device=None):
        pass

    @staticmethod
    def current_device():
        return 0

    @staticmethod
    def is_available():
        return True


class CpuUtils:
    """Facts about the machine, under the names that programs ask for."""

    @staticmethod
    def get_device_properties(device=0):
        return properties()


class CpuDriver:
    """The driver where there is no GPU."""

    binary_ext = "so"
    times_on_host = True
    map_python_to_cpp_type = staticmethod(cpp_type)

    def __init__(self):
        self.utils = CpuUtils()

    @staticmethod
    def is_active():
        return True

    @staticmethod
    def get_current_device():
        return 0

    @staticmethod
    def set_current_device(device):
        pass

    @staticmethod
    def get_current_stream(device=None):
        return 0

    @staticmethod
    def get_device_capability(device=None):
        return (0, 0)

    @staticmethod
    def get_current_target():
        return GPUTarget("cpu", _native.cpu_name(), 32)

    @staticmethod
    def get_active_torch_device():
        import torch

        return torch.device("cpu")

    @staticmethod
    def get_device_interface():
        return DeviceInterface

    def get_benchmarker(self):
        return functools.partial(bench, self)

    @staticmethod
    def get_empty_cache_for_benchmark():
        return bytearray(32 << 20)

    @staticmethod
    def clear_cache(cache):
        ctypes.memset((ctypes.c_char * len(cache)).from_buffer(cache), 0, len(cache))


class DriverConfig:
    """`runtime.driver`: the active driver, and a way to put another in its place."""

    def __init__(self):
        self._active = None

    @functools.cached_property
    def default(self):
        """Looked for when it is first needed."""
        return gpu.CudaDriver() if gpu.is_available() else CpuDriver()

    @property
    def active(self):
        return self._active or self.default

    def set_active(self, driver):
        self._active = driver

    def reset_active(self):
        self._active = None


config = DriverConfig()


def current_target():
    """That which is being compiled for, or else the active driver's."""
    return current_compilation() or config.active.get_current_target()
