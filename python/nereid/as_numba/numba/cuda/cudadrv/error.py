# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.errors import NereidError as CudaDriverError, NereidError as CudaSupportError
