# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in JAX programs, on CPUs and GPUs: triton_call, with the arguments of jax-triton's."""

import jax

if jax.__version_info__ < (0, 10):
    raise ImportError(f"nereid.jax needs JAX 0.10 or a later version, and {jax.__version__} is here: what it "
                      "registers with XLA was another before")

from .call import triton_call
from .primitive import register

__all__ = ["register", "triton_call"]
