# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid import cdiv, next_power_of_2
from nereid.jax.stand_ins import strides_from_shape

__all__ = ["cdiv", "next_power_of_2", "strides_from_shape"]
