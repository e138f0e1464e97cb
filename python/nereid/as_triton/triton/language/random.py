# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers"""

from nereid.language.names import builtins_of as _builtins_of

globals().update({
    name: value
    for name, value in _builtins_of("triton.language").items() if "rand" in name or "philox" in name or "uniform" in name
})
