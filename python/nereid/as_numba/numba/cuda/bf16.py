# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.threads import bf16 as _texts

globals().update({_name: _value for _name, _value in vars(_texts).items() if not _name.startswith("_")})
