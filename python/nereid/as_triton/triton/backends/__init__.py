# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Nereid compiles for"""

from dataclasses import dataclass

from nereid.driver import CpuDriver
from nereid.gpu import CudaDriver

from . import compiler, driver
from .compiler import BaseBackend
from .driver import DriverBase


@dataclass(frozen=True)
class Backend:
    """Classes: of what compiles, and of what knows the machine."""

    compiler: type
    driver: type


backends = {"cpu": Backend(BaseBackend, CpuDriver), "nvidia": Backend(BaseBackend, CudaDriver)}
