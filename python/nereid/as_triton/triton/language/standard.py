# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same names"""

from nereid import language as _language
from nereid.jit import constexpr_function as _constexpr_function
from nereid.numbers import log2

_log2 = _constexpr_function(log2)
del log2

globals().update({name: value for name, value in vars(_language).items() if not name.startswith("_")})

_log2 = _language._log2
