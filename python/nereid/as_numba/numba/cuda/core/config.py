# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings that programs read and write. None of them is read here."""

import sys as _sys

try:
    from numba.core import config as _settings
except ImportError:
    _settings = _sys.modules[__name__]

for _name, _value in {"ENABLE_CUDASIM": False, "CUDA_LOW_OCCUPANCY_WARNINGS": 0, "CUDA_WARN_ON_IMPLICIT_COPY": 1}.items():
    if not hasattr(_settings, _name):
        setattr(_settings, _name, _value)
_sys.modules[__name__] = _settings
