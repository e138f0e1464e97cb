# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernel language: what kernels name. `import nereid.language as tl`, or `import triton.language as tl` where
Nereid stands for Triton."""

import builtins as _builtins

from . import dtypes as _dtypes
from .names import LanguageClass, builtins_of

globals().update(builtins_of("triton.language"))  # first: a name that Python has a use for is defined below
globals().update(_dtypes.DTYPES)

from .constants import const, constexpr
from .dtypes import block_type, constexpr_type, dtype, pi32_t, pointer_type, str_to_ty, void

TRITON_MAX_TENSOR_NUMEL = 1048576


class tensor(LanguageClass):
    """A run-time value of a kernel: a number or a tile."""


class tuple(_builtins.tuple, LanguageClass):
    """A tuple of a kernel. `named` is the class of a named tuple whose elements it has."""

    def __new__(cls, elements=(), named=None):
        made = super().__new__(cls, elements)
        made.named = named
        return made

    def __getattr__(self, name):
        fields = self.named._fields if self.named else ()
        if name not in fields:
            raise AttributeError(f"'tuple' object has no attribute {name}")
        return self[fields.index(name)]


class tensor_descriptor(LanguageClass):
    """An array in blocks, as a kernel sees it."""


class tensor_descriptor_base(LanguageClass):
    """The same."""


tensor_descriptor_type = tensor_descriptor


class slice(LanguageClass):
    """A part of a subscript."""


class PropagateNan:
    """What minimum and maximum do with a NaN."""

    NONE, ALL = False, True


from .aggregates import aggregate_replace
