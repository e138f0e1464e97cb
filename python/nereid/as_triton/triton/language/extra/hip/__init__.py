# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of AMD's machines, of which there are those of libdevice"""

from nereid.language.names import builtins_of as _builtins_of

from . import libdevice

globals().update(_builtins_of("triton.language.extra.hip"))
