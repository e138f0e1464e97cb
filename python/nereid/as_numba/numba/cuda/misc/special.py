# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.threads.library import literal_unroll
