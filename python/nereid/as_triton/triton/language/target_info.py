# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel is compiled for, as constants"""

from nereid import constexpr_function
from nereid.driver import current_target


@constexpr_function
def is_cuda():
    return current_target().backend == "cuda"


@constexpr_function
def is_hip():
    return False


@constexpr_function
def is_hip_cdna3():
    return False


@constexpr_function
def is_hip_cdna4():
    return False


@constexpr_function
def cuda_capability_geq(major, minor=0):
    target = current_target()
    return target.backend == "cuda" and target.arch >= major * 10 + minor
