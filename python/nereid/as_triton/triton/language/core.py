# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts that the language is written in, under one name"""

import abc

from nereid import language as _language

globals().update({name: value for name, value in vars(_language).items() if not name.startswith("_")})

from nereid.language.aggregates import aggregate as _aggregate
from nereid.jit import constexpr_function as _constexpr_function
from nereid.language.constants import unwrap
from nereid.language.dtypes import get_int_dtype
from nereid.language.names import BUILTINS as _BUILTINS
from nereid.language.names import LanguageClass, builtin, extern
from nereid.jit import must_use_result

TRITON_BUILTIN = "__triton_builtin__"
dispatch = _BUILTINS["triton.language.core.dispatch"]


def is_builtin(fn):
    """Whether it is a part of kernels that Python cannot call."""
    return getattr(fn, TRITON_BUILTIN, False)


class base_value(LanguageClass):
    """The root of what kernels compute with."""


class base_type(abc.ABC):
    """The root of the types of the language."""


base_type.register(_language.dtype)
base_type.register(_language.tuple_type)
tensor_descriptor_base_type = _language.tensor_descriptor_base
CONSTEXPR_0 = _language.constexpr(0)
_unwrap_if_constexpr, get_int_dtype = map(_constexpr_function, (unwrap, get_int_dtype))
del unwrap
