# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels of threads run on, under Numba's names: GPUs where there are any, else the host's processor, which counts
as a device. On the checked device all is in the host's memory."""

import os
from collections import namedtuple

from .. import _native, driver, gpu
from .selected import _gpu_count, _selected, current_number as current_number, opened as opened, uses_gpu
from .streams import synchronize


class Device:
    """One that kernels run on."""

    WARP_SIZE = 32
    MAX_THREADS_PER_BLOCK = 1024
    MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_Y, MAX_BLOCK_DIM_Z = 1024, 1024, 64
    MAX_GRID_DIM_X, MAX_GRID_DIM_Y, MAX_GRID_DIM_Z = 2**31 - 1, 65535, 65535

    def __init__(self, number=0):
        self.id = number

    @property
    def compute_capability(self):
        return (gpu.info(self.id).sm_major, gpu.info(self.id).sm_minor) if uses_gpu() else (9, 0)

    @property
    def name(self):
        return (gpu.info(self.id).name if uses_gpu() else _native.cpu_name()).encode()

    @property
    def MULTIPROCESSOR_COUNT(self):
        return gpu.info(self.id).multiprocessors if uses_gpu() else driver.device_of(-1, False).threads

    @property
    def MAX_SHARED_MEMORY_PER_BLOCK(self):
        return gpu.info(self.id).shared_per_block if uses_gpu() else 48 << 10

    def get_primary_context(self):
        return Context(self)

    def reset(self):
        pass

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<CUDA device {self.id} {self.name!r}>"


MemoryInfo = namedtuple("MemoryInfo", "free, total")


class Context:
    """The device's, for programs that ask for it. Inside `with` it is the current one."""

    def __init__(self, device):
        self.device, self._before = device, []

    def synchronize(self):
        synchronize()

    def get_memory_info(self):
        """What is free of its memory, and all of it, in bytes."""
        if uses_gpu():
            return MemoryInfo(_native.gpu_free_memory(self.device.id), gpu.info(self.device.id).memory)
        page = os.sysconf("SC_PAGE_SIZE")
        return MemoryInfo(os.sysconf("SC_AVPHYS_PAGES") * page, os.sysconf("SC_PHYS_PAGES") * page)

    def push(self):
        self._before.append(_selected.number)
        _selected.number = self.device.id

    def pop(self):
        _selected.number = self._before.pop()

    def __enter__(self):
        self.push()
        return self

    def __exit__(self, *_):
        self.pop()

    def reset(self):
        pass


class DeviceList:
    """`cuda.gpus`: by number, and in turn."""

    def __len__(self):
        return max(1, _gpu_count()) if uses_gpu() else 1

    def __getitem__(self, number):
        if not 0 <= number < len(self):
            raise IndexError(f"there is no device {number}; there are {len(self)}")
        return Context(Device(number)) if uses_gpu() else Context(Device())

    def __iter__(self):
        return (self[number] for number in range(len(self)))

    @property
    def lst(self):
        return list(self)

    @property
    def current(self):
        return Context(get_current_device())

    def __call__(self):
        return [context.device for context in self]


gpus = DeviceList()


def list_devices():
    return gpus


def get_current_device():
    return Device(_selected.number)


def select_device(number):
    """What this thread allocates on and, without arrays, launches on from now on."""
    if not 0 <= number < len(gpus):
        raise ValueError(f"there is no device {number}; there are {len(gpus)}, from 0 on")
    _selected.number = number
    return Context(Device(number))


def current_context(number=None):
    return Context(Device(_selected.number if number is None else number))


def is_available():
    """There is an executor in any case."""
    return True


def detect():
    devices = gpus()
    print(f"Found {len(devices)} CUDA devices")
    for device in devices:
        major, minor = device.compute_capability
        print(f"id {device.id}    {device.name!r}\n      Compute Capability: {major}.{minor}")
    return True


def close():
    """Memory and code go when nobody uses them any more."""
    _selected.number = 0
