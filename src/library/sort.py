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
def _is_power_of_two(size: tl.constexpr):
    return triton.next_power_of_2(size) == size


@triton.jit
def _float_keys(x, bits, sign: tl.constexpr):
    # Floats order as their bits do, if those of negative ones are turned; NaN comes last, whatever its sign.
    most: tl.constexpr = (1 << sign) - 1
    return tl.where(x == x, bits ^ ((bits >> sign) & most), bits & most)


@triton.jit
def _keys(x):
    # Integers in the order of the elements, from which `_of_keys` makes these again: comparing two, or taking
    # the lesser, is one instruction.
    if x.dtype.is_fp8():
        # Formats differ in what their bits mean: as f16 they order alike, and the bits ride along.
        return (_keys(x.to(tl.float16)) << 8) | x.to(tl.uint8, bitcast=True).to(tl.int32)
    elif x.dtype.is_floating():
        if x.dtype.primitive_bitwidth == 16:
            return _float_keys(x, x.to(tl.int16, bitcast=True).to(tl.int32), 15)
        elif x.dtype.primitive_bitwidth == 32:
            return _float_keys(x, x.to(tl.int32, bitcast=True), 31)
        else:
            return _float_keys(x, x.to(tl.int64, bitcast=True), 63)
    elif x.dtype.is_bool():
        return x.to(tl.int32)
    return x


@triton.jit
def _of_keys(key, dtype: tl.constexpr):
    if dtype.is_fp8():
        return (key & 255).to(tl.uint8).to(dtype, bitcast=True)
    elif dtype.is_floating():
        if dtype.primitive_bitwidth == 16:
            return (key ^ ((key >> 15) & 0x7fff)).to(tl.int16).to(dtype, bitcast=True)
        elif dtype.primitive_bitwidth == 32:
            return (key ^ ((key >> 31) & 0x7fffffff)).to(dtype, bitcast=True)
        else:
            return (key ^ ((key >> 63) & 0x7fffffffffffffff)).to(dtype, bitcast=True)
    return key.to(dtype)


@triton.jit
def _ranks(x, descending: tl.constexpr):
    # The keys of elements that keep their order where they are equal: zeros are, and NaNs; and which come
    # first where the order falls.
    if x.dtype.is_fp8():
        return _ranks(x.to(tl.float16), descending)
    key = _keys(x)
    if x.dtype.is_floating():
        most: tl.constexpr = (1 << (x.dtype.primitive_bitwidth - 1)) - 1
        key = tl.where(x == 0, 0, tl.where(x == x, key, most))
    return ~key if descending else key


@triton.jit
def _exchange(x, place, mask, last_bit, size: tl.constexpr, axis: tl.constexpr, descending: tl.constexpr):
    # Every two places that differ by `mask`, of whose bits `last_bit` is the last, are brought into order.
    partner = place ^ mask
    if not _is_power_of_two(size):
        partner = tl.where(partner < size, partner, place)  # who has none stays
    other = tl.gather(x, partner, axis)
    is_first = (place & last_bit) == 0
    if descending:
        takes_other = (x < other) == is_first
    else:
        takes_other = (x > other) == is_first
    return tl.where(takes_other, other, x)


@triton.jit
def _exchange_pairs(x, order, place, mask, axis: tl.constexpr):
    # The same, rising, for elements that know their number: of equals the first stays first.
    size: tl.constexpr = x.shape[axis]
    partner = place ^ mask
    if not _is_power_of_two(size):
        partner = tl.where(partner < size, partner, place)
    other = tl.gather(x, partner, axis)
    other_order = tl.gather(order, partner, axis)
    is_later = (x > other) | ((x == other) & (order > other_order))
    takes_other = is_later == (place < partner)
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
            mask = _partner_mask(log_run, step)
            x = _exchange(x, place, mask, 1 << (log_run - 1 - step), length, axis, descending)
    return x


@triton.jit
def _merge_runs(x, length: tl.constexpr, axis: tl.constexpr, descending: tl.constexpr):
    # The same of runs that rise and then fall, or the other way round.
    place = _places(x, length, axis)
    for step in tl.static_range(tl._log2(length)):
        distance: tl.constexpr = length >> (step + 1)
        x = _exchange(x, place, distance, distance, length, axis, descending)
    return x


@triton.jit
def _packs(x, axis: tl.constexpr):
    # Whether one integer holds an element's rank and its number.
    return x.dtype.primitive_bitwidth <= 32


@triton.jit
def _pack(x, axis: tl.constexpr, descending: tl.constexpr):
    place = _places(x, x.shape[axis], axis)
    rank = _ranks(x, descending)
    if x.dtype.primitive_bitwidth <= 16 and x.shape[axis] <= 65536:
        if x.dtype.is_int_unsigned():
            return (rank.to(tl.uint32) << 16) | place.to(tl.uint32)
        return (rank.to(tl.int32) << 16) | place
    elif x.dtype.is_int_unsigned():
        return (rank.to(tl.uint64) << 32) | place.to(tl.uint64)
    return (rank.to(tl.int64) << 32) | place.to(tl.int64)


@triton.jit
def _unpack_order(packed):
    if packed.dtype.primitive_bitwidth == 32:
        return (packed & 65535).to(tl.int32)
    return packed.to(tl.int32)


@triton.jit
def _sorted_order(x, axis: tl.constexpr, descending: tl.constexpr):
    # Where the elements were, in the order in which they would be sorted.
    size: tl.constexpr = x.shape[axis]
    if _packs(x, axis):
        return _unpack_order(_sort_runs(_pack(x, axis, descending), size, axis, False))
    else:
        place = _places(x, size, axis)
        order = place
        rank = _ranks(x, descending)
        for log_run in range(1, tl._log2(triton.next_power_of_2(size)) + 1):
            for step in range(0, log_run):
                rank, order = _exchange_pairs(rank, order, place, _partner_mask(log_run, step), axis)
        return order


@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False,
         return_indices: tl.constexpr = False):
    axis: tl.constexpr = _axis_of(x, dim)
    if return_indices:
        order = _sorted_order(x, axis, descending)
        return tl.gather(x, order, axis), order
    return _of_keys(_sort_runs(_keys(x), x.shape[axis], axis, descending), x.dtype)


@triton.jit
def argsort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    # Equal elements keep their order: where the values tie, the indices decide.
    return _sorted_order(x, _axis_of(x, dim), descending)


@triton.jit
def _larger(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def _smaller(a, b):
    return tl.where(a < b, a, b)


@triton.jit
def _first_of_runs(x, k: tl.constexpr, axis: tl.constexpr, descending: tl.constexpr):
    # Sorted runs of k; of each two the k that come first, which are the first of each pair from both
    # ends, and which a merge brings into order; until there is one run. The two are half of all runs apart:
    # elements far from each other are likelier to be of one thread, which then holds half as many.
    size: tl.constexpr = x.shape[axis]
    x = tl.reshape(x, x.shape[:axis] + (size // k, k) + x.shape[axis + 1:])
    x = _sort_runs(x, k, axis + 1, descending)
    for level in tl.static_range(tl._log2(size // k)):
        runs: tl.constexpr = size // k >> level + 1
        pairs = tl.reshape(x, x.shape[:axis] + (2, runs, k) + x.shape[axis + 2:])
        turned = tl.gather(pairs, _places(pairs, k, axis + 2) ^ (k - 1), axis + 2)
        pairs = tl.where(_places(pairs, 2, axis) == 0, pairs, turned)
        if descending:
            x = tl.reduce(pairs, axis, _larger)
        else:
            x = tl.reduce(pairs, axis, _smaller)
        x = _merge_runs(x, k, axis + 1, descending)
    return tl.reshape(x, x.shape[:axis] + (k,) + x.shape[axis + 2:])


@triton.jit
def _first(x, k: tl.constexpr, axis: tl.constexpr, descending: tl.constexpr):
    # The first k of integers that are to be sorted.
    size: tl.constexpr = x.shape[axis]
    run: tl.constexpr = triton.next_power_of_2(k)
    if _is_power_of_two(size) and run < size:
        x = _first_of_runs(x, run, axis, descending)
    else:
        x = _sort_runs(x, size, axis, descending)
    if k < x.shape[axis]:
        x = tl.gather(x, _places(x, k, axis), axis)
    return x


@triton.jit
def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = True,
         return_indices: tl.constexpr = False):
    axis: tl.constexpr = _axis_of(x, dim)
    size: tl.constexpr = x.shape[axis]
    tl.static_assert(k >= 1 and k <= size, f"topk: k is {k}, and the dimension {size}")
    if k < size:
        x = x.to(tl.max(x, axis).dtype)  # Triton's drops elements by maxima, which widen
    if return_indices:
        if _packs(x, axis):
            order = _unpack_order(_first(_pack(x, axis, descending), k, axis, False))
        else:
            order = tl.gather(_sorted_order(x, axis, descending), _places(x, k, axis), axis)
        return tl.gather(x, order, axis), order
    return _of_keys(_first(_keys(x), k, axis, descending), x.dtype)


@triton.jit
def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    axis: tl.constexpr = _axis_of(x, dim)
    size: tl.constexpr = x.shape[axis]
    tl.static_assert(_is_power_of_two(size), "bitonic_merge: the dimension is no power of two")
    return _of_keys(_merge_runs(_keys(x), size, axis, descending), x.dtype)


@triton.jit
def flip(x, dim: tl.constexpr = None):
    axis: tl.constexpr = _axis_of(x, dim)
    return tl.gather(x, x.shape[axis] - 1 - _places(x, x.shape[axis], axis), axis)
