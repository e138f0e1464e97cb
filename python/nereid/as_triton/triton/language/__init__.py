# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.language"""

from nereid import language as _language

globals().update({name: value for name, value in vars(_language).items() if not name.startswith("_")})

from . import core, extra, math, random, semantic, standard, target_info
