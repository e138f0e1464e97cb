# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Nereid compiles for"""

from . import compiler, driver

backends = {}
