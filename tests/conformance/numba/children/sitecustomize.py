# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python reads this first in each program that a test of numba-cuda starts."""

import os

if "NUMBA_CUDA_TESTS" in os.environ and "NEREID_STANDS_IN" in os.environ:
    import stand_in  # noqa: F401
