# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuning, and what programs import from here because upstream's module mentions it"""

from nereid.autotune import Autotuner, Config, Heuristics, autotune, heuristics
from nereid.errors import AutotunerError, OutOfResources, PTXASError
from nereid.jit import JITFunction, KernelInterface
