# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Targets"""

from nereid.ahead import BaseBackend
from nereid.target import GPUTarget

from enum import Enum


class Language(Enum):
    """What a source is written in."""

    TRITON = 0
    GLUON = 1
