# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where programs look for the classes of arrays, streams and mistakes."""

from . import devicearray, devices, driver, error
