# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front end is the library's"""

from nereid.errors import CompilationError, UnsupportedLanguageConstruct
