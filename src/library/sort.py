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
    if a.dtype.is_floating():
        return ~(a <= b) & (b == b)  # NaN is the largest
    return a > b


@triton.jit
def _is_power_of_two(size: tl.constexpr):
    return triton.next_power_of_2(size) == size


@triton.jit
def _partner(place, mask, size: tl.constexpr):
    # Where the partner of each place is, and whether it has one: one beyond the end counts as last,
    # and is none to exchange with.
    partner = place ^ mask
    if _is_power_of_two(size):
        return partner, True
    return tl.where(partner < size, partner, place), partner < size


@triton.jit
def _exchange(x, place, mask, axis: tl.constexpr, descending: tl.constexpr):
    # Every two places that differ by `mask` are brought into order.
    partner, has_partner = _partner(place, mask, x.shape[axis])
    other = tl.gather(x, partner, axis)
    is_first = place < partner
    first = tl.where(is_first, x, other)
    second = tl.where(is_first, other, x)
    return tl.where(has_partner & _belongs_after(first, second, descending), other, x)


@triton.jit
def _exchange_pairs(x, order, place, mask, axis: tl.constexpr, descending: tl.constexpr):
    # The same for elements that know their number: of equals the first stays first.
    partner, has_partner = _partner(place, mask, x.shape[axis])
    other = tl.gather(x, partner, axis)
    other_order = tl.gather(order, partner, axis)
    is_later = _belongs_after(x, other, descending)
    is_earlier = _belongs_after(other, x, descending)
    is_later = is_later | ((is_earlier == is_later) & (order > other_order))
    takes_other = has_partner & ((place < partner) == is_later)
    return tl.where(takes_other, other, x), tl.where(takes_other, other_order, order)


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
def _sort_runs(x, length: tl.constexpr, axis: tl.constexpr, descending: tl.constexpr):
    # Sorted runs are merged in pairs until they are `length` long, as the axis is.
    place = _places(x, length, axis)
    for log_run in range(1, tl._log2(triton.next_power_of_2(length)) + 1):
        for step in range(0, log_run):
            x = _exchange(x, place, _partner_mask(log_run, step), axis, descending)
    return x


@triton.jit
def _sort_pairs(x, axis: tl.constexpr, descending: tl.constexpr):
    # The sorted elements, and where each was.
    size: tl.constexpr = x.shape[axis]
    place = _places(x, size, axis)
    order = place
    for log_run in range(1, tl._log2(triton.next_power_of_2(size)) + 1):
        for step in range(0, log_run):
            x, order = _exchange_pairs(x, order, place, _partner_mask(log_run, step), axis, descending)
    return x, order


@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False,
         return_indices: tl.constexpr = False):
    axis: tl.constexpr = _axis_of(x, dim)
    if return_indices:
        return _sort_pairs(x, axis, descending)
    return _sort_runs(x, x.shape[axis], axis, descending)


@triton.jit
def argsort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    # Equal elements keep their order: where the values tie, the indices decide.
    return _sort_pairs(x, _axis_of(x, dim), descending)[1]


@triton.jit
def _ascending_last(a, b):
    return tl.where(_belongs_after(a, b, False), a, b)


@triton.jit
def _descending_last(a, b):
    return tl.where(_belongs_after(a, b, True), a, b)


@triton.jit
def _first_of_runs(x, k: tl.constexpr, axis: tl.constexpr, descending: tl.constexpr):
    # Sorted runs of k; of each two the k that come first, which are the first of each pair from both
    # ends, and which a merge brings into order; until there is one run.
    size: tl.constexpr = x.shape[axis]
    x = tl.reshape(x, x.shape[:axis] + (size // k, k) + x.shape[axis + 1:])
    x = _sort_runs(x, k, axis + 1, descending)
    for level in tl.static_range(tl._log2(size // k)):
        runs: tl.constexpr = size // k >> level + 1
        pairs = tl.reshape(x, x.shape[:axis] + (runs, 2, k) + x.shape[axis + 2:])
        own = _places(pairs, k, axis + 2)
        turned = tl.gather(pairs, own ^ (k - 1), axis + 2)
        pairs = tl.where(_places(pairs, 2, axis + 1) == 0, pairs, turned)
        if descending:
            x = tl.reduce(pairs, axis + 1, _ascending_last)
        else:
            x = tl.reduce(pairs, axis + 1, _descending_last)
        for step in tl.static_range(tl._log2(k)):
            x = _exchange(x, _places(x, k, axis + 1), k >> (step + 1), axis + 1, descending)
    return tl.reshape(x, x.shape[:axis] + (k,) + x.shape[axis + 2:])


@triton.jit
def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = True,
         return_indices: tl.constexpr = False):
    axis: tl.constexpr = _axis_of(x, dim)
    size: tl.constexpr = x.shape[axis]
    tl.static_assert(k >= 1 and k <= size, f"topk: k is {k}, and the dimension {size}")
    if k < size:
        x = x.to(tl.max(x, axis).dtype)  # Triton's drops elements by maxima, which widen
    if return_indices:
        values, order = _sort_pairs(x, axis, descending)
        places = _places(x, k, axis)
        return tl.gather(values, places, axis), tl.gather(order, places, axis)
    if _is_power_of_two(size) and _is_power_of_two(k) and k < size:
        return _first_of_runs(x, k, axis, descending)
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
