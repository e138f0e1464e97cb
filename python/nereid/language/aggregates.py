# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@triton.aggregate: classes whose instances kernels make."""


def aggregate(cls):
    """Marks a class whose fields and methods kernels use."""
    cls.__triton_aggregate__ = True
    return cls
