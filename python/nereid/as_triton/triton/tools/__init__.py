# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.tools"""

from . import tensor_descriptor
