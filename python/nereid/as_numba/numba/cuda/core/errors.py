# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from numba.core.errors import *
