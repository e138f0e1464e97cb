# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drivers"""

from nereid.driver import CpuDriver as DriverBase
from nereid.driver import CpuDriver as GPUDriver
from nereid.specialization import expand_signature
