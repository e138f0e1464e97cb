# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts that the language is written in, under one name"""

from nereid import language as _language

globals().update({name: value for name, value in vars(_language).items() if not name.startswith("_")})

from nereid.language.aggregates import aggregate as _aggregate
from nereid.jit import constexpr_function as _constexpr_function
from nereid.language.constants import unwrap
from nereid.language.dtypes import get_int_dtype
from nereid.language.names import builtin

CONSTEXPR_0 = _language.constexpr(0)
_unwrap_if_constexpr, get_int_dtype = map(_constexpr_function, (unwrap, get_int_dtype))
del unwrap
