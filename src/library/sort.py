# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sorting networks: loops whose body compares each element with a partner and may exchange the two.
# The code does not grow with the tile.
import triton
import triton.language as tl


@triton.jit
def _places(x, length: tl.constexpr, axis: tl.constexpr):
    # 0, 1, ..., length - 1 along the axis, otherwise in the shape of `x`.
    place = tl.arange(0, length)
    for d in tl.static_range(len(x.shape)):
        if d < axis:
            place = tl.expand_dims(place, 0)
        elif d > axis:
            place = tl.expand_dims(place, -1)
    return tl.broadcast_to(place, x.shape[:axis] + (length,) + x.shape[axis + 1:])


@triton.jit
def _belongs_after(a, b, descending: tl.constexpr):
    if descending:
        return _belongs_after(b, a, False)
    is_after = a > b
    if a.dtype.is_floating():
        is_after = is_after | ((a != a) & (b == b))  # NaN is the largest
    return is_after


@triton.jit
def _exchange(x, place, mask, axis: tl.constexpr, descending: tl.constexpr):
    # Every two places that differ by `mask` are brought into order. A partner beyond the end counts
    # as last, and is none to exchange with.
    partner = place ^ mask
    has_partner = partner < x.shape[axis]
    other = tl.gather(x, tl.where(has_partner, partner, place), axis)
    is_first = place < partner
    first = tl.where(is_first, x, other)
    second = tl.where(is_first, other, x)
    return tl.where(has_partner & _belongs_after(first, second, descending), other, x)


@triton.jit
def _axis_of(x, dim: tl.constexpr):
    rank: tl.constexpr = len(x.shape)
    axis: tl.constexpr = rank - 1 if dim is None else dim + rank if dim < 0 else dim
    tl.static_assert(axis >= 0 and axis < rank,
                     f"dim {dim} is out of range for a tile of rank {rank}")
    return axis


@triton.jit
def _partner_mask(log_run, step):
    # The first exchange of a merge pairs the places from both ends of a run, so that all exchanges
    # have one direction, and lengths need not be powers of two. The others halve the distance.
    return tl.where(step == 0, (1 << log_run) - 1, 1 << (log_run - 1 - step))


@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False,
         return_indices: tl.constexpr = False):
    # Sorted runs are merged in pairs.
    axis: tl.constexpr = _axis_of(x, dim)
    if return_indices:
        order = argsort(x, dim, descending)
        return tl.gather(x, order, axis), order
    size: tl.constexpr = x.shape[axis]
    place = _places(x, size, axis)
    for log_run in range(1, tl._log2(triton.next_power_of_2(size)) + 1):
        for step in range(0, log_run):
            x = _exchange(x, place, _partner_mask(log_run, step), axis, descending)
    return x


@triton.jit
def argsort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    # Equal elements keep their order: where the values tie, the indices decide.
    axis: tl.constexpr = _axis_of(x, dim)
    size: tl.constexpr = x.shape[axis]
    place = _places(x, size, axis)
    order = place
    for log_run in range(1, tl._log2(triton.next_power_of_2(size)) + 1):
        for step in range(0, log_run):
            partner = place ^ _partner_mask(log_run, step)
            has_partner = partner < size
            other = tl.gather(order, tl.where(has_partner, partner, place), axis)
            is_first = place < partner
            own_value = tl.gather(x, order, axis)
            other_value = tl.gather(x, other, axis)
            is_later = _belongs_after(own_value, other_value, descending)
            is_earlier = _belongs_after(other_value, own_value, descending)
            is_later = is_later | ((is_earlier == is_later) & (order > other))
            order = tl.where(has_partner & (is_first == is_later), other, order)
    return order


@triton.jit
def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = True,
         return_indices: tl.constexpr = False):
    axis: tl.constexpr = _axis_of(x, dim)
    size: tl.constexpr = x.shape[axis]
    tl.static_assert(k >= 1 and k <= size, f"topk: k is {k}, and the dimension {size}")
    if k < size:
        x = x.to(tl.max(x, axis).dtype)  # Triton's drops elements by maxima, which widen
    if return_indices:
        order = tl.gather(argsort(x, dim, descending), _places(x, k, axis), axis)
        return tl.gather(x, order, axis), order
    return tl.gather(sort(x, dim, descending), _places(x, k, axis), axis)


@triton.jit
def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    axis: tl.constexpr = _axis_of(x, dim)
    size: tl.constexpr = x.shape[axis]
    steps: tl.constexpr = tl._log2(triton.next_power_of_2(size))
    tl.static_assert(size == 1 << steps, "bitonic_merge: the dimension is no power of two")
    place = _places(x, size, axis)
    for step in range(0, steps):
        x = _exchange(x, place, size >> (step + 1), axis, descending)
    return x


@triton.jit
def flip(x, dim: tl.constexpr = None):
    axis: tl.constexpr = _axis_of(x, dim)
    return tl.gather(x, x.shape[axis] - 1 - _places(x, x.shape[axis], axis), axis)
