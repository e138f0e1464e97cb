# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The root of Triton's errors"""

from nereid.errors import TritonError
