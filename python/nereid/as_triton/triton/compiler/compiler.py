# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling ahead of a launch"""

from nereid.binary import Binary as CompiledKernel, LazyDict
from nereid.ahead import ASTSource, IRSource, compile, make_backend
from nereid.filecache import get_cache_key
from nereid.target import GPUTarget
