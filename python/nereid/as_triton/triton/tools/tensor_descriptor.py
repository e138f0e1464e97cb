# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptors that the host makes"""

from nereid.tensor_descriptor import TensorDescriptor
