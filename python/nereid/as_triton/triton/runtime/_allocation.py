# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that kernels may ask for"""

from nereid.allocation import NullAllocator, has_profile_allocator, set_allocator, set_profile_allocator
from nereid.allocation import _allocator, _profile_allocator
