# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba.cuda, which means Nereid: names of kernels, arrays, streams."""

from nereid.refusals import refused as _refused
from nereid.threads.arrays import (as_cuda_array, device_array, device_array_like,
                                   from_cuda_array_interface, is_cuda_array, managed_array, mapped,
                                   mapped_array, mapped_array_like, pinned, pinned_array, pinned_array_like, to_device)
from nereid.threads.devices import (close, current_context, detect, get_current_device, gpus, is_available,
                                    list_devices, select_device)
from nereid.threads.function import jit
from nereid.threads.hints import In, InOut, Out
from nereid.threads.inspection import compile_ptx, compile_ptx_for_current_device
from nereid.threads.names import of_cuda as _of_cuda
from nereid.threads.reduction import Reduce
from nereid.threads.names import TYPES as _types
from nereid.threads.streams import (default_stream, defer_cleanup, event, event_elapsed_time, external_stream,
                                    legacy_default_stream, per_thread_default_stream, profile_start, profile_stop,
                                    profiling, stream, synchronize)
from nereid.threads.ufuncs import guvectorize, vectorize
from . import types
from .core import config

_LACKING = "compile compile_for_current_device declare_device open_ipc_handle set_memory_manager"
globals().update(_refused("numba.cuda", _LACKING, "is a part of Numba's that Nereid has not"))
globals().update(_types)
globals().update(_of_cuda())
reduce = Reduce
is_float16_supported = is_bfloat16_supported = lambda: True
HAS_NUMBA = hasattr(config, "PYVERSION")  # Numba's half for CPUs, whose settings it is

from . import cudadrv, random  # noqa: E402
from .cudadrv import devicearray  # noqa: E402


def __getattr__(name):
    """Vectors are made when they are asked for, and what stands in modules of its own."""
    from nereid.threads.vectors import vector_named

    if name == "bfloat16":
        from nereid.threads.bf16 import bfloat16

        return bfloat16

    vector = vector_named(name)
    if vector is None:
        raise AttributeError(f"module 'numba.cuda' has no attribute {name!r}")
    return vector
