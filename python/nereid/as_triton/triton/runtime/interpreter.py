# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checked executor"""

from nereid.errors import InterpreterError
from nereid.jit import JITFunction as InterpretedFunction
