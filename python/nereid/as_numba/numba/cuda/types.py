# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where newer programs look for types: Numba's own, where it is installed."""

try:
    from numba.core import types as _types
except ImportError:
    from numba import types as _types

globals().update({_name: _value for _name, _value in vars(_types).items() if not _name.startswith("_")})
if hasattr(_types, "float16"):
    f2 = _types.float16

from nereid.threads.names import ElementType as _ElementType

bfloat16 = _ElementType("bfloat16")
