# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one machine or library"""

from . import cuda, hip, libdevice
