# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuning, and what programs import from here because upstream's module mentions it"""

from nereid import knobs
from nereid.autotune import Autotuner, Config, Heuristics, autotune, heuristics
from nereid.errors import AutotunerError, OutOfResources, PTXASError
from nereid.driver import config as driver
from nereid.filecache import get_cache_manager, triton_key
from nereid.jit import JITFunction, KernelInterface

from .._C.libtriton import get_cache_invalidating_env_vars
