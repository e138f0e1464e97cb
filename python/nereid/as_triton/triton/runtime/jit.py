# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels"""

from nereid.autotune import Config
from nereid.jit import (ConstexprFunction, JITCallable, JITFunction, KernelInterface, KernelParam, MockTensor,
                        TensorWrapper, constexpr_function, get_jit_fn_file_line, jit, mangle_type, must_use_result,
                        reinterpret, type_canonicalisation_dict)
