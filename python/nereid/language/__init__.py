# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernel language: what kernels name. `import nereid.language as tl`, or `import triton.language as tl` where
Nereid stands for Triton."""

from . import dtypes as _dtypes
from .names import LanguageClass, builtins_of

globals().update(builtins_of("triton.language"))  # first: a name that Python has a use for is defined below
globals().update(_dtypes.DTYPES)

from .constants import const, constexpr
from .dtypes import block_type, constexpr_type, dtype, pi32_t, pointer_type, str_to_ty, void
from .tuples import tuple, tuple_type

TRITON_MAX_TENSOR_NUMEL = 1048576


class tensor(LanguageClass):
    """A run-time value of a kernel: a number or a tile."""


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
