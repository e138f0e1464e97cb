# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.runtime"""

from nereid import knobs
from nereid.autotune import Autotuner, Config, Heuristics, autotune, heuristics
from nereid.errors import InterpreterError, OutOfResources
from nereid.jit import KernelInterface
from nereid.tensors import MockTensor, TensorWrapper, reinterpret

from . import _allocation, _async_compile, autotuner, build, cache, errors, interpreter, jit
from .jit import JITFunction
from .driver import driver  # the configuration hides the module, as upstream has it
from .cache import RedisRemoteCacheBackend, RemoteCacheBackend
