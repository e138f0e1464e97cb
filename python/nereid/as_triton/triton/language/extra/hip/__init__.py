# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of AMD's machines, of which there are those of libdevice"""

from . import libdevice
