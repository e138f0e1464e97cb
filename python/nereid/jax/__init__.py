# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in JAX programs, on CPUs and GPUs: triton_call, with the arguments of jax-triton's."""

from .call import triton_call

__all__ = ["triton_call"]
