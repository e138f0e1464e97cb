# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Reads and writes that have an order, and waiting for what another program does.
import triton
import triton.language as tl


@triton.jit
def atomic_load(pointer, mask=None, sem: tl.constexpr = None, scope: tl.constexpr = None):
    order: tl.constexpr = "acquire" if sem is None else sem
    tl.static_assert(order == "acquire" or order == "relaxed", "sem must be 'acquire' or 'relaxed'")
    element: tl.constexpr = pointer.dtype.element_ty
    width: tl.constexpr = element.primitive_bitwidth
    tl.static_assert(width >= 32, "atomic_load reads elements of 32 or 64 bits")
    # Leaves what it finds: a read that has an order.
    words = pointer.to(tl.pointer_type(tl.get_int_dtype(width, True)))
    return tl.atomic_or(words, 0, mask, sem=order, scope=scope).to(element, bitcast=True)


@triton.jit
def atomic_store(pointer, val, mask=None, sem: tl.constexpr = None, scope: tl.constexpr = None):
    order: tl.constexpr = "release" if sem is None else sem
    tl.static_assert(order == "release" or order == "relaxed", "sem must be 'release' or 'relaxed'")
    tl.atomic_xchg(pointer, val, mask, sem=order, scope=scope)


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
