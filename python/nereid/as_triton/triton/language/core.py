# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts that the language is written in, under one name"""

from nereid import language as _language

globals().update({name: value for name, value in vars(_language).items() if not name.startswith("_")})

from nereid.language.aggregates import aggregate as _aggregate
from nereid.language.constants import unwrap as _unwrap_if_constexpr
from nereid.language.names import builtin
