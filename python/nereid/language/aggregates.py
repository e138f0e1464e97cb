# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@triton.aggregate: classes of objects with fields and methods, which kernels make."""


def aggregate(cls):
    """Marks a class that kernels call to make its objects. Its annotations are the fields; its functions, `__init__`
    among them, are traced."""
    cls.__triton_aggregate__ = True
    return cls
