# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upstream's compiler, of which Python's programs ask few things; Nereid's is nereid._native"""

from nereid.refusals import refused as _refused
from nereid.specialization import native_specialize_impl


def get_cache_invalidating_env_vars():
    """None of Triton's variables changes what Nereid compiles."""
    return {}


globals().update(_refused("triton._C.libtriton", "amd gluon_ir interpreter ir linear_layout llvm nvidia passes proton",
                          "Triton's IR and its passes are not Nereid's; nereid.compile and compiled.asm are there"))
