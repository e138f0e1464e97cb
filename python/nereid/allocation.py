# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that kernels need besides their arrays. Nereid's need none, so an allocator is kept and not called."""

from contextvars import ContextVar


class NullAllocator:
    """The allocator of who has set none."""

    def __call__(self, size, alignment, stream):
        raise RuntimeError("Kernel requires a runtime memory allocation, but no allocator was set. "
                           "Use triton.set_allocator to specify an allocator.")


_allocator = ContextVar("_allocator", default=NullAllocator())
_profile_allocator = ContextVar("_profile_allocator", default=NullAllocator())


def set_allocator(allocator):
    _allocator.set(allocator)


def set_profile_allocator(allocator):
    _profile_allocator.set(allocator)


def has_profile_allocator():
    return not isinstance(_profile_allocator.get(), NullAllocator)
