# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.errors import CompilationError as TypingError
from nereid.threads.function import NumbaPerformanceWarning
