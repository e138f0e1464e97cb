# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where Numba looks for what @vectorize and @guvectorize mean with target="cuda"."""

from nereid.threads.ufuncs import GUFunc as CUDAGUFuncVectorize, UFunc as CUDAVectorize
