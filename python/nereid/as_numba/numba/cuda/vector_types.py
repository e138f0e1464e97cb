# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.threads import vectors as _vectors

vector_types = _vectors.vector_types()
