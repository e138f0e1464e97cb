# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What programs use, for type checkers. tests/python/test_stubs.py compares the names with those of __init__.py.
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from . import _native as _native, errors as errors, knobs as knobs, language as language, testing as testing
from ._native import Device as Device
from .analyzer import Analysis as Analysis
from .autotune import Autotuner as Autotuner, Config as Config, Heuristics as Heuristics, autotune as autotune
from .autotune import heuristics as heuristics
from .binary import Binary
from .compiled import CompiledKernel as CompiledKernel
from .jit import ConstexprFunction, JITFunction as JITFunction, KernelInterface as KernelInterface
from .profiler import Profile as Profile
from .target import GPUTarget as GPUTarget
from .tensor_descriptor import TensorDescriptor as TensorDescriptor
from .tensors import MockTensor as MockTensor, TensorWrapper as TensorWrapper

__version__: str
__all__: list[str]

@overload
def jit(fn: Callable[..., Any]) -> JITFunction: ...
@overload
def jit(
    fn: None = None, *, version: Any = None, repr: Callable[[Any], str] | None = None,
    launch_metadata: Callable[..., Mapping[str, Any]] | None = None,
    do_not_specialize: Sequence[int | str] | None = None,
    do_not_specialize_on_alignment: Sequence[int | str] | None = None, debug: bool | None = None,
    noinline: bool | None = None, floor_division: bool = False
) -> Callable[[Callable[..., Any]], JITFunction]: ...
def constexpr_function(fn: Callable[..., Any]) -> ConstexprFunction: ...
def compile(src: Any, target: GPUTarget | None = None, options: Mapping[str, Any] | None = None,
            _env_vars: Any = None) -> Binary: ...
def analyze(kernel: Any, grid: Any, *args: Any, target: str = "sm_90a", card: str = "", programs: int = 0,
            **kwargs: Any) -> Analysis: ...
def profile(kernel: Any, grid: Any, *args: Any, detail: str = "auto", turns: int = 15, **kwargs: Any) -> Profile: ...
def cdiv(x: int, y: int) -> int: ...
def next_power_of_2(n: int) -> int: ...
def reinterpret(tensor: Any, dtype: Any) -> Any: ...
def set_allocator(allocator: Callable[[int, int, int | None], Any]) -> None: ...
def install_as_triton() -> None: ...
def install_as_numba_cuda() -> None: ...
def devices() -> list[tuple[str, str, str]]: ...
