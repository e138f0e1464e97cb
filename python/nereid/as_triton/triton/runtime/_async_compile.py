# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilations in other threads"""

from nereid.asynchronous import AsyncCompileMode, FutureKernel, active_mode
