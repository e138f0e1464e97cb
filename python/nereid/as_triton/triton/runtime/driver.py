# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The active driver"""

from nereid.driver import config as driver
