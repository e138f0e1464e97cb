# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.threads.inspection import compile_ptx, compile_ptx_for_current_device
