# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upstream's compiler, of which Python's programs ask few things; Nereid's is nereid._native"""

from nereid.refusals import refused_module as _refused_module
from nereid.specialization import native_specialize_impl


def get_cache_invalidating_env_vars():
    """None of Triton's variables changes what Nereid compiles."""
    return {}


# Modules, since programs import from them: from triton._C.libtriton.gluon_ir import make_cga_layout
for _name in """amd amd.passes gluon_ir interpreter ir linear_layout llvm nvidia nvidia.passes passes passes.common
        passes.convert passes.llvmir passes.ttgpuir passes.ttir proton""".split():
    _refused_module(f"{__name__}.{_name}", "Triton's IR and its passes are not Nereid's; nereid.compile and compiled.asm "
                    "are there", "A part of upstream's compiler")
