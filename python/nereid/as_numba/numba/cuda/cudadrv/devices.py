# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.threads.devices import current_context as get_context, gpus
