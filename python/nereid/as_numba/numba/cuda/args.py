# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.threads.hints import ArgHint, In, InOut, Out, wrap_arg
