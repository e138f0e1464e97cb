# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@triton.aggregate: classes whose instances kernels make. Programs may declare them; kernels that use one are
refused by name, since the compiler has none yet."""


def aggregate(cls):
    """Marks a class whose fields and methods kernels use."""
    cls.__triton_aggregate__ = True
    return cls
