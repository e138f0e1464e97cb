# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of launches"""

from nereid.errors import AutotunerError, InterpreterError, OutOfResources, PTXASError, TritonError
