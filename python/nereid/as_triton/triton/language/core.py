# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts that the language is written in, under one name"""

from nereid import language as _language

globals().update({name: value for name, value in vars(_language).items() if not name.startswith("_")})

from nereid.language.aggregates import aggregate as _aggregate
from nereid.language.constants import unwrap as _unwrap_if_constexpr
from nereid.jit import constexpr_function as _constexpr_function
from nereid.language.names import builtin

CONSTEXPR_0 = _language.constexpr(0)


@_constexpr_function
def get_int_dtype(bitwidth, signed):
    """The integers of that many bits."""
    return _language.int1 if bitwidth == 1 else _language.dtype(f"{'int' if signed else 'uint'}{bitwidth}")
