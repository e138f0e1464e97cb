# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upstream compiles C at run time; Nereid needs no compiler and has none"""

def compile_module_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None):
    raise NotImplementedError("Nereid compiles no C")
