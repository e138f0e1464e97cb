# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.threads.random import (create_xoroshiro128p_states, init_xoroshiro128p_states,
                                   xoroshiro128p_dtype, xoroshiro128p_next, xoroshiro128p_normal_float32,
                                   xoroshiro128p_normal_float64, xoroshiro128p_uniform_float32,
                                   xoroshiro128p_uniform_float64)
