# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same names"""

from nereid import language as _language

globals().update({name: value for name, value in vars(_language).items() if not name.startswith("_")})

_log2 = _language._log2
