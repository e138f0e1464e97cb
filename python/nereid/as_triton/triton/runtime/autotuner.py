# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuning"""

from nereid.autotune import Autotuner, Config, Heuristics, autotune, heuristics
