# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels"""

from nereid.autotune import Config
from nereid.jit import (ConstexprFunction, JITCallable, JITFunction, KernelInterface, constexpr_function,
                        get_jit_fn_file_line, jit, must_use_result)
from nereid.specialization import (compute_cache_key, find_paths_if, get_iterable_path, is_namedtuple,
                                   native_specialize_impl, serialize_specialization_data)
from nereid.parameters import KernelParam, mangle_type, type_canonicalisation_dict
from nereid.tensors import MockTensor, TensorWrapper, reinterpret
from nereid import knobs as _knobs

if _knobs.runtime.interpret:
    from triton.runtime.interpreter import CompiledFunction as JITFunction


def get_full_name(fn):
    return f"{fn.__module__}.{fn.__qualname__}"
