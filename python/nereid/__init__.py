# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nereid: kernels written in Triton's language, compiled for CPUs and GPUs.

    import nereid
    import nereid.language as tl

    @nereid.jit
    def add(x, y, out, n, BLOCK: tl.constexpr): ...

    add[(nereid.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)

`python -m nereid script.py` runs a program that was written for Triton, and `install_as_triton()` makes
`import triton` mean Nereid from then on."""

import warnings

from . import _native, errors, knobs, language, testing
from ._native import Device
from .ahead import compile
from .allocation import set_allocator
from .analyzer import Analysis, analyze
from .autotune import Autotuner, Config, Heuristics, autotune, heuristics
from .compiled import CompiledKernel
from .install import install_as_numba_cuda, install_as_triton
from .jit import JITFunction, KernelInterface, constexpr_function, jit
from .numbers import cdiv, next_power_of_2
from .profiler import Profile, profile
from .target import GPUTarget
from .tensor_descriptor import TensorDescriptor
from .tensors import MockTensor, TensorWrapper, reinterpret

__all__ = [
    "Analysis", "Autotuner", "CompiledKernel", "Config", "Device", "GPUTarget", "Heuristics", "JITFunction",
    "KernelInterface", "MockTensor", "Profile", "TensorDescriptor", "TensorWrapper", "analyze", "autotune", "cdiv", "compile",
    "constexpr_function", "devices", "errors", "heuristics", "install_as_numba_cuda", "install_as_triton", "jit",
    "knobs", "language", "next_power_of_2", "profile", "reinterpret", "set_allocator", "testing", "__version__"
]

for _mistake in _native.environment_mistakes():
    warnings.warn(_mistake, stacklevel=2)


def devices():
    """What kernels can run on: (name, description, why it is not available or "")."""
    return _native.devices()


__version__ = _native.version()

_native.set_constexpr_class(language.constexpr)
_native.set_dtype_class(language.dtype)
_native.set_descriptor_class(TensorDescriptor)
