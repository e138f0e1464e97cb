# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scopes inside kernels: kernels that have them are refused by name"""

from nereid.language.names import builtins_of as _builtins_of
from nereid.refusals import refused as _refused

globals().update(_builtins_of("triton.profiler.language"))
globals().update(_refused("triton.profiler.language", "enable_semantic disable_semantic scope",
                          "Nereid has no profiler"))
