# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from nereid.errors import NereidError as CudaAPIError
from nereid.threads.devices import Context, Device
from nereid.threads.streams import Event, Stream

USE_NV_BINDING = False
