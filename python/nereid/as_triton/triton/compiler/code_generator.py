# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front end is the library's"""

from nereid.errors import CompilationError, NotSupported, UnsupportedLanguageConstruct


class CodeGenerator:

    def __init__(self, *_, **__):
        raise NotSupported("triton.compiler.code_generator.CodeGenerator: the front end is the library's, and not in Python")
