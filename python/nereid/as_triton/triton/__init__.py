# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nereid under Triton's name: what programs written for Triton import. The names are Triton's, the things are
Nereid's."""

import sys as _sys

from nereid import (Autotuner, Config, KernelInterface, MockTensor, TensorWrapper, autotune, cdiv, constexpr_function,
                    heuristics, jit, knobs, next_power_of_2, reinterpret)
from nereid.allocation import set_allocator
from nereid.asynchronous import AsyncCompileMode, FutureKernel
from nereid.errors import CompilationError, InterpreterError, OutOfResources, TritonError
from nereid.jit import must_use_result
from nereid.versions import release as __version__

_sys.modules["triton.knobs"] = knobs
if knobs.runtime.interpret:
    from nereid.executed import keep_executed_texts

    keep_executed_texts()

from . import language, runtime, compiler, testing, tools, backends, profiler
from .compiler import compile
from .runtime import JITFunction

from nereid.language.aggregates import aggregate

from ._pytorch import answer_pytorch

answer_pytorch()

__all__ = [
    "AsyncCompileMode", "Autotuner", "CompilationError", "Config", "FutureKernel", "InterpreterError", "JITFunction",
    "KernelInterface", "MockTensor", "OutOfResources", "TensorWrapper", "TritonError", "aggregate", "autotune", "cdiv",
    "compile", "constexpr_function", "heuristics", "jit", "knobs", "language", "must_use_result", "next_power_of_2",
    "reinterpret", "runtime", "set_allocator", "testing", "tools"
]
