# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about the CPU, under the names that programs know from GPUs."""

import functools
import os

from . import _native


@functools.lru_cache(maxsize=None)
def vector_registers():
    """How many a thread of the CPU has: what stands for the registers of a GPU's thread."""
    return 32 if "avx512f" in _native.cpu_features() else 16


@functools.lru_cache(maxsize=None)
def properties():
    cores = len(os.sched_getaffinity(0))
    return {
        "max_shared_mem": 1 << 20, "max_num_regs": 65536, "multiprocessor_count": cores, "warpSize": 32,
        "sm_clock_rate": 2_000_000, "mem_clock_rate": 1_600_000, "mem_bus_width": 128
    }
