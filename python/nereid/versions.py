# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which version of Triton programs are told that they have, and what differs between versions where both ways cannot be
had. The table is the library's (triton_versions.def); NEREID_TRITON_VERSION chooses."""

import types

from . import _native

release, _differences = _native.language_version()
language = types.SimpleNamespace(**dict(_differences))
