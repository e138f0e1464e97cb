# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.compiler"""

from . import code_generator, compiler, errors
from .compiler import get_cache_key
from .compiler import ASTSource, CompiledKernel, IRSource, LazyDict, compile, make_backend
from .errors import CompilationError
