# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes in kernels"""

from nereid.errors import (CompilationError, CompileTimeAssertionFailure, TritonError, UnsupportedLanguageConstruct)
