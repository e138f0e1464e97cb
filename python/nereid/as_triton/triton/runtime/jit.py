# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels"""

from nereid.autotune import Config
from nereid.jit import (ConstexprFunction, JITCallable, JITFunction, KernelInterface, constexpr_function,
                        get_jit_fn_file_line, jit, must_use_result)
from nereid.parameters import KernelParam, mangle_type, type_canonicalisation_dict
from nereid.tensors import MockTensor, TensorWrapper, reinterpret
