# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of NVIDIA's machines"""

from nereid.language.names import builtins_of as _builtins_of

globals().update(_builtins_of("triton.language.extra.cuda"))
