# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of jax-triton."""

from nereid import __version__, cdiv, next_power_of_2
from nereid.jax import triton_call
from nereid.jax.stand_ins import strides_from_shape

from . import utils

__all__ = ["__version__", "cdiv", "next_power_of_2", "strides_from_shape", "triton_call", "utils"]
