# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.threads.names import TYPES as _TYPES

globals().update(_TYPES)
