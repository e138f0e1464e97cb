import math
import os

import torch
import triton.language as tl

SCALE = tl.constexpr(math.sqrt(16))
IS_FAST = os.environ.get("PACKAGE_FAST", "0") == "1"
DEVICES = torch.cuda.device_count()
