# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Waiting for what another program does.
import triton
import triton.language as tl


@triton.jit
def _holds(pointer, expected, sem: tl.constexpr, scope: tl.constexpr):
    # Puts back what it finds: a read that has an order.
    return tl.atomic_cas(pointer, expected, expected, sem=sem, scope=scope) == expected


@triton.jit
def atomic_poll(pointer, expected, sem: tl.constexpr = "acquire", scope: tl.constexpr = "gpu",
                timeout_ns=None):
    tl.static_assert(sem == "acquire" or sem == "relaxed", "sem must be 'acquire' or 'relaxed'")
    tl.static_assert(not pointer.dtype.element_ty.is_floating(), "atomic_poll waits for integers")
    if isinstance(timeout_ns, tl.constexpr):
        tl.static_assert(timeout_ns is None or timeout_ns >= 0, "timeout_ns must not be negative")
    expected = tl.to_tensor(expected).to(pointer.dtype.element_ty)
    found = _holds(pointer, expected, sem, scope)
    if timeout_ns is None:
        while not found:
            found = _holds(pointer, expected, sem, scope)
    else:
        # No look at memory takes less than a nanosecond.
        looks = tl.to_tensor(timeout_ns).to(tl.int64)
        while (not found) & (looks > 0):
            found = _holds(pointer, expected, sem, scope)
            looks -= 1
    return found
