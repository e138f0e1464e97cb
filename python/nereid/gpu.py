# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The driver where there is an NVIDIA GPU. What belongs to PyTorch is asked of it only if the program has imported
it."""

import functools
import importlib.util
import sys

from . import _native
from .target import GPUTarget, cpp_type
from .timing import bench

WARP = 32


_infos: dict = {}


def info(device):
    """What the driver says of a GPU."""
    if device not in _infos:
        _infos[device] = _native.gpu_info(device)
    return _infos[device]


def _torch():
    """PyTorch, if the program uses it and it can use a GPU."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and torch.cuda.is_available() else None


_found = False  # once there was one: processes that are forked cannot ask the driver again, and need not


def is_available():
    """Whether there is a GPU that the program's arrays may lie on: with a PyTorch for CPUs they do not. PyTorch, where
    it is installed, is asked alone: it knows in forked processes, too, where the driver does not answer, and it can
    be told (PYTORCH_NVML_BASED_CUDA_CHECK) to leave the driver alone before a fork."""
    global _found
    _found = _found or _looks_available()
    return _found


def _looks_available():
    if importlib.util.find_spec("torch") is None:
        return any(name == "cuda:0" and not reason for name, _, reason in _native.devices())
    import torch

    return torch.cuda.is_available() and torch.version.hip is None


def current_device():
    torch = _torch()
    return torch.cuda.current_device() if torch else 0


def current_stream(device):
    """The stream on which the program works, as a CUstream: PyTorch's current one, or the default stream."""
    torch = _torch()
    return torch.cuda.current_stream(device).cuda_stream if torch else 0


def synchronize():
    """Waits for what the program has given to GPUs through PyTorch."""
    torch = _torch()
    if torch:
        torch.cuda.synchronize()


class CudaUtils:
    """Facts about GPUs, under the names that programs ask for."""

    @staticmethod
    def get_device_properties(device=0):
        facts = info(device)
        return {
            "max_shared_mem": facts.shared_per_block, "max_num_regs": facts.registers_per_block,
            "multiprocessor_count": facts.multiprocessors, "warpSize": WARP, "sm_clock_rate": facts.clock,
            "mem_clock_rate": facts.memory_clock, "mem_bus_width": facts.memory_bus_bits
        }


def target_of(cuda_device):
    """What is compiled for a CUDA device, or, for -1, the host."""
    if cuda_device < 0:
        return GPUTarget("cpu", _native.cpu_name(), WARP)
    sm = info(cuda_device)
    return GPUTarget("cuda", sm.sm_major * 10 + sm.sm_minor, WARP)


class CudaDriver:
    """The driver of an NVIDIA GPU."""

    binary_ext = "cubin"
    map_python_to_cpp_type = staticmethod(cpp_type)

    def __init__(self):
        self.utils = CudaUtils()

    is_active = staticmethod(is_available)
    get_current_device = staticmethod(current_device)

    @staticmethod
    def set_current_device(device):
        import torch

        torch.cuda.set_device(device)

    @staticmethod
    def get_current_stream(device=None):
        return current_stream(current_device() if device is None else device)

    @staticmethod
    def get_device_capability(device=None):
        facts = info(current_device() if device is None else device)
        return (facts.sm_major, facts.sm_minor)

    def get_current_target(self):
        major, minor = self.get_device_capability()
        return GPUTarget("cuda", major * 10 + minor, WARP)

    @staticmethod
    def get_active_torch_device():
        import torch

        return torch.device("cuda", current_device())

    @staticmethod
    def get_device_interface():
        import torch

        return torch.cuda

    def get_benchmarker(self):
        return functools.partial(bench, self)

    @staticmethod
    def get_empty_cache_for_benchmark():
        """Larger than any L2."""
        import torch

        return torch.empty(256 << 18, dtype=torch.int32, device="cuda")

    @staticmethod
    def clear_cache(cache):
        cache.zero_()
