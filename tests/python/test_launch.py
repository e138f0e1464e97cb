# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches from Python on NumPy's arrays: arguments and grids."""

import array
import gc
import sys
import unittest
import weakref
from collections import namedtuple
from typing import NamedTuple
from unittest import mock

from running import main, require

require("numpy")
import numpy as np

import nereid
import nereid.language as tl
from kernels import add, fill, fill_with
from nereid.language.aggregates import aggregate

SCALE = 3


@nereid.jit
def rounded(out, T: tl.constexpr):
    tl.store(out, tl.full((), 1 + 2**-20, tl.float32).to(T).to(tl.float32))


class View(NamedTuple):
    data: object
    size: int = 3


class Scale(NamedTuple):
    apply: tl.constexpr
    by: tuple


DEFAULT = View(None)


@aggregate
class Sums:
    left: tl.tensor
    right: tl.constexpr

    def __init__(self, left, right):
        self.left = left
        self.right = right

    @nereid.jit
    def add(self, x):
        return Sums(self.left + x, self.right)

    @nereid.jit
    def total(self):
        return self.left + self.right


@aggregate
class Both(Sums):

    @nereid.constexpr_function
    def __init__(self, left):
        super().__init__(left + 1000, 100)


@nereid.jit
def scaled(x, factor: tl.constexpr = SCALE):
    return x * factor


class Pointer:
    """An array that says where it begins, and nothing more."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype

    def data_ptr(self):
        return self.array.ctypes.data


class Interface:

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


@nereid.jit
def reverse(x, y, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + (BLOCK - 1 - i), tl.load(x + i * stride))


class Arguments(unittest.TestCase):

    def test_sizes_and_types(self):
        random = np.random.default_rng(7)
        for dtype in (np.float32, np.float64, np.float16, np.int8, np.uint8, np.int32, np.int64, np.uint64):
            for n in (0, 1, 63, 64, 65, 1003):
                x, y = (random.integers(0, 50, n).astype(dtype) for _ in range(2))
                out = np.zeros_like(x)
                add[(nereid.cdiv(n, 64),)](x, y, out, n, BLOCK=64)
                np.testing.assert_array_equal(out, x + y, err_msg=f"{dtype} {n}")

    def test_numbers_become_what_they_are(self):
        for value, dtype in ((1, np.int32), (7, np.int32), (2**40, np.int64), (2**63 + 5, np.uint64), (-5, np.int64),
                             (True, np.uint8), (0.1, np.float64)):
            out = fill_with(fill, np.zeros(70, dtype), value)
            wanted = np.float32(value) if isinstance(value, float) else value
            np.testing.assert_array_equal(out, np.full(70, wanted, dtype))

    def test_numbers_of_numpy(self):
        for value in (np.int64(7), np.float32(1.5), np.bool_(True), np.uint8(200)):
            np.testing.assert_array_equal(fill_with(fill, np.zeros(70), value), float(value))
        out = np.zeros(4, np.int32)
        fill[(1,)](out, np.int32(1), np.int64(4), BLOCK=np.int64(8))
        np.testing.assert_array_equal(out, 1)

    def test_names_made_for_the_call(self):
        out = np.zeros(3)
        for number in range(300):  # a key that held the places of such strings would mix them up
            fill[(1,)](out, float(number), **{"".join(["n"]): 3, "".join(["num_", "warps"]): 1 << number % 3})
            self.assertEqual(out[2], number)

    def test_annotations_decide(self):

        @nereid.jit
        def kernel(out, value: tl.float64, small: "i8", n: tl.int64, BLOCK: tl.constexpr):
            offsets = tl.arange(0, BLOCK)
            tl.static_assert(n.dtype == tl.int64 and small.dtype == tl.int8)
            tl.store(out + offsets, value + small, mask=offsets < n)

        out = np.zeros(5)
        kernel[(1,)](out, 0.1, 1, 5, 8)
        np.testing.assert_array_equal(out, np.full(5, 0.1 + 1))
        with self.assertRaises(OverflowError):
            kernel[(1,)](out, 0.1, 300, 5, 8)

    def test_overlapping_arrays(self):
        x = np.arange(200, dtype=np.float32)
        want = x[:100] + x[1:101]
        add[(1,)](x[:100], x[1:101], x[:100], 100, BLOCK=128)
        np.testing.assert_array_equal(x[:100], want)

    def test_overlap_with_arrays_of_unknown_extent(self):
        a, b = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
        for arrays, may_overlap in (((Pointer(a), Pointer(b)), True), ((Pointer(a), b), True), ((a, b), False),
                                    ((Pointer(a), b[:0]), False)):
            self.assertEqual(reverse.warmup(*arrays, 1, BLOCK=256, grid=(1,))._may_overlap, may_overlap)
        reverse[(1,)](Pointer(a), Pointer(a), 1, BLOCK=256)
        np.testing.assert_array_equal(a, np.arange(256)[::-1])

    def test_overlap_of_reversed_views(self):
        a = np.arange(256, dtype=np.float32)
        reverse[(1,)](a[::-1], a[:-1], -1, BLOCK=256)
        np.testing.assert_array_equal(a, np.arange(256))
        grid = np.zeros((8, 8), np.float32)
        for x, y, may_overlap in ((grid[::-1], grid[:1], True), (grid[4::-1, ::-1], grid[5:], False),
                                  (grid[:4:-1], grid[:5], False), (Interface(grid[::-1]), grid[:1], True)):
            self.assertEqual(reverse.warmup(x, y, 1, BLOCK=16, grid=(1,))._may_overlap, may_overlap)

    def test_names_defaults_and_mistakes(self):
        out = np.zeros(10, np.int32)
        fill[(1,)](n=10, value=4, out=out)
        np.testing.assert_array_equal(out, 4)
        for arguments, named, text in (((out,), {}, "missing required arguments: 'value', 'n'"),
                                       ((out, 1, 2, 3, 4), {}, "takes 4 positional arguments but 5"),
                                       ((out, 1, 2), {"n": 3}, "multiple values for argument 'n'")):
            with self.assertRaisesRegex(TypeError, text):
                fill[(1,)](*arguments, **named)
        with self.assertRaisesRegex(KeyError, "Keyword argument wrap was specified but unrecognised"):
            fill[(1,)](out, 1, 10, wrap=3)
        fill[(1,)](out, 2, 10, num_warps=8, num_stages=2)
        np.testing.assert_array_equal(out, 2)

    def test_tuples(self):

        @nereid.jit
        def kernel(pair, out, rest):
            tl.store(out, tl.load(pair[0]) * pair[1] + rest[0] + rest[1][0])

        x, out = np.array([5.0], np.float32), np.zeros(1, np.float32)
        for number in (1, 3, 16):
            kernel[(1,)]((x, number), out, (2.5, (10,)))
            self.assertEqual(out[0], 5 * number + 12.5)

    def test_named_tuples(self):

        @nereid.jit
        def kernel(out, view, scale, other):
            tl.static_assert(isinstance(view, View) and not isinstance(other, View) and len(other) == 2)
            copy = View(data=view.data, size=view.size)
            at = tl.arange(0, 4)
            tl.store(out + at, scale.apply(tl.load(copy.data + at, mask=at < copy.size, other=-1), *scale.by),
                     mask=at < DEFAULT.size)

        @nereid.jit
        def times(x, a, b):
            return x * a + b

        @nereid.jit
        def minus(x, a, b):
            return x - a - b

        x = np.arange(4, dtype=np.float32)
        for function, wanted in ((times, [1, 6, -4, 0]), (minus, [-6, -5, -7, 0])):
            out = np.zeros(4, np.float32)
            kernel[(1,)](out, View(x, 2), Scale(function, (5, 1)), (x, 2))
            np.testing.assert_array_equal(out, wanted)
        with self.assertRaises(nereid.errors.CompilationError):  # a tuple without names
            kernel[(1,)](out, (x, 2), Scale(times, (5, 1)), (x, 2))

    def test_aggregates(self):

        @nereid.jit
        def kernel(out, n):
            sums = Sums(n, 3)
            for i in range(4):
                sums = sums.add(i)
            tl.store(out, sums.total())
            tl.store(out + 1, Both(n).total())

        out = np.zeros(2, np.int32)
        kernel[(1,)](out, 10)
        np.testing.assert_array_equal(out, [10 + 6 + 3, 1010 + 100])

    def test_variadic(self):

        @nereid.jit
        def kernel(out, *values):
            total = 0.0
            for i in tl.static_range(len(values)):
                total += values[i]
            tl.store(out, total)

        out = np.zeros(1, np.float32)
        kernel[(1,)](out, 1.5, 2.5, 3.0)
        self.assertEqual(out[0], 7)

    def test_descriptor(self):

        @nereid.jit
        def kernel(source, target, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
            row, column = tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS
            target.store([row, column], source.load([row, column]) * 2)

        backing = np.zeros(70 * 40 + 4, np.float32)
        start = (-backing.ctypes.data % 16) // 4
        x = backing[start:start + 70 * 40].reshape(70, 40)
        x[:] = np.arange(70 * 40).reshape(70, 40)
        y = np.zeros(70 * 40 + 4, np.float32)
        start = (-y.ctypes.data % 16) // 4
        y = y[start:start + 70 * 40].reshape(70, 40)
        descriptors = [nereid.TensorDescriptor.from_tensor(array, [32, 16]) for array in (x, y)]
        kernel[(3, 3)](*descriptors, 32, 16)
        np.testing.assert_array_equal(y, 2 * x)

    def test_what_a_descriptor_holds_decides(self):

        @nereid.jit
        def kernel(source, out):
            tl.store(out + tl.arange(0, 16), source.load([8]))

        def loaded(dtype=np.float32, extent=12, **given):
            memory, out = np.full(20, 7, dtype), np.zeros(16, dtype)
            start = (-memory.ctypes.data % 16) // memory.itemsize
            kernel[(1,)](nereid.TensorDescriptor(memory[start:][:extent], [extent], [1], [16], **given), out)
            return out

        for order in ("zero", "nan"), ("nan", "zero"):
            kernel.device_caches.clear()
            for padding in order:
                outside = np.nan if padding == "nan" else 0
                np.testing.assert_array_equal(loaded(padding=padding), np.where(np.arange(16) < 4, 7, outside))
        np.testing.assert_array_equal(loaded(np.int32), np.where(np.arange(16) < 4, 7, 0))
        with self.assertRaisesRegex(nereid.errors.TritonError, "'source'.*pads with zero, since it holds integers"):
            loaded(np.int32, padding="nan")

    def test_alignment_of_descriptors_decides(self):

        @nereid.jit
        def kernel(source, out):
            tl.store(out, 1)

        def key(*steps):
            descriptor = nereid.TensorDescriptor(np.zeros((4, 16), np.float32), [4, 16], [16, 1], [4, 16])
            descriptor.strides = [*steps]
            return kernel.warmup(descriptor, np.zeros(1, np.int32), grid=(1,)).hash

        self.assertNotEqual(key(16, 1), key(17, 1))
        self.assertEqual(key(16, 1), key(32, 1))

    def test_classes_of_one_name(self):

        @nereid.jit
        def kernel(out, Kind: tl.constexpr):
            tl.store(out, Kind().size)

        out = np.zeros(1, np.int32)
        for size in 3, 4:
            kernel[(1,)](out, namedtuple("Kind", ["size"], defaults=[size]))
            self.assertEqual(out[0], size)

    def test_descriptor_of_more_than_kernels_count(self):

        @nereid.jit
        def kernel(source, out):
            tl.store(out + tl.arange(0, 16), source.load([1000, 0]).reshape(16))

        memory, out = np.full(20, 7, np.int32), np.zeros(16, np.int32)
        row = memory[(-memory.ctypes.data % 16) // 4:][:16]
        kernel[(1,)](nereid.TensorDescriptor(row, [2**31 - 1, 16], [0, 1], [1, 16]), out)
        np.testing.assert_array_equal(out, 7)
        for rows in (2**31, 2**32 + 16):
            with self.assertRaisesRegex(nereid.errors.TritonError, f"'source'.*whose extents are int32, not {rows}"):
                kernel[(1,)](nereid.TensorDescriptor(row, [rows, 16], [0, 1], [1, 16]), out)

    def test_constants(self):

        @nereid.jit
        def kernel(out, OP: tl.constexpr, TYPE: tl.constexpr, PLACES: tl.constexpr, NAME: tl.constexpr,
                   NOTHING: tl.constexpr):
            value = OP(4.0, 2).to(TYPE)
            if NAME == "second" and NOTHING is None:
                value = value * PLACES[1]
            tl.store(out, value)

        out = np.zeros(1, np.float64)
        kernel[(1,)](out, scaled, tl.float64, (3, 7), "second", None)
        self.assertEqual(out[0], 56)
        kernel[(1,)](out, scaled, tl.float64, (3, 9), "second", None)
        self.assertEqual(out[0], 72)
        kernel[(1,)](out, scaled, tl.float64, (3, 9), "first", None)
        self.assertEqual(out[0], 8)

    def test_element_types_are_found_again(self):
        out = np.zeros(1, np.float32)
        with mock.patch.object(rounded, "_compile", wraps=rounded._compile) as compiled:
            for dtype, expected in ((tl.float16, 1.0), (tl.float32, 1.0 + 2**-20), (tl.dtype("fp16"), 1.0),
                                    (tl.constexpr(tl.float32), 1.0 + 2**-20), (tl.float16, 1.0)):
                rounded[(1, )](out, dtype)
                self.assertEqual(out[0], expected)
        self.assertEqual(compiled.call_count, 2)

    def test_whatever_has_the_buffer_protocol(self):
        x, y, out = array.array("f", [1, 2, 3]), bytearray(np.float32([4, 5, 6])), np.zeros(3, np.float32)
        add[(1,)](x, memoryview(y).cast("f"), out, 3, BLOCK=4)
        np.testing.assert_array_equal(out, [5, 7, 9])
        add[(1,)](out, out, x, 3, BLOCK=4)
        self.assertEqual(x.tolist(), [10, 14, 18])

    def test_no_array(self):
        with self.assertRaises(nereid.errors.CompilationError):
            add[(1,)](object(), object(), object(), 3, BLOCK=4)


class Grids(unittest.TestCase):

    def test_forms(self):

        @nereid.jit
        def kernel(out):
            place = tl.program_id(0) + 2 * (tl.program_id(1) + 3 * tl.program_id(2))
            tl.store(out + place, place)

        for grid, count in (((2,), 2), ([2, 3], 6), ((2, 3, 4), 24), (2, 2), (lambda meta: (2, 3), 6), ((0,), 0),
                            ((np.int64(2),), 2)):
            out = np.full(24, -1)
            kernel[grid](out)
            np.testing.assert_array_equal(out, [*range(count), *[-1] * (24 - count)])
        for grid in ((), (1, 2, 3, 4), "ab", (1.5,)):
            with self.assertRaises((TypeError, ValueError)):
                kernel[grid](out)

    def test_functions_see_all_arguments(self):
        seen = {}

        def grid(meta):
            seen.update(meta)
            return (1,)

        out = np.zeros(3, np.float32)
        fill[grid](out, 2.0, n=3)
        self.assertEqual({name: value for name, value in seen.items() if name != "out"},
                         {"value": 2.0, "n": 3, "BLOCK": 64})


class Launchers(unittest.TestCase):

    def test_kept_and_called_again(self):

        @nereid.jit
        def kernel(out, scale: tl.constexpr, *values):
            total = 0.0
            for i in tl.static_range(len(values)):
                total += values[i]
            tl.store(out, total * scale)

        out = np.zeros(1, np.float32)
        launcher = kernel[(1,)]
        del kernel
        for scale, values, total in ((2, (), 0), (3, (1.0,), 3), (1, (1.0, 2.5), 3.5), (2, (2.0,) * 9, 36)):
            launcher(out, scale, *values)
            self.assertEqual(out[0], total)
            launcher.__call__(*(out, scale + 1), *values)
            self.assertEqual(out[0] * scale, total * (scale + 1))
        launcher(scale=2, out=out)
        self.assertEqual(out[0], 0)
        with self.assertRaises(TypeError):
            type(launcher)()

    def test_nothing_is_held(self):
        out, grid = np.zeros(3, np.float32), (1, 1, 1 * len("a"))
        fill[grid](out, 2.0, n=3)
        before = [sys.getrefcount(held) for held in (fill, fill._dispatcher, grid, out)]
        for _ in range(100):
            fill[grid](out, 2.0, n=3)
            with self.assertRaises(TypeError):
                fill[grid](out)
        self.assertEqual([sys.getrefcount(held) for held in (fill, fill._dispatcher, grid, out)], before)

    def test_who_keeps_one_that_knows_him_goes(self):

        class Layer:

            def __init__(self):
                self.launch = fill[lambda meta: (self.count,)]
                self.count = 1

        for has_launched in (True, False):
            layer, out = Layer(), np.zeros(3, np.float32)
            if has_launched:
                layer.launch(out, 2.0, n=3)
                self.assertEqual(out.sum(), 6)
            gone = weakref.ref(layer)
            del layer
            gc.collect()
            self.assertIsNone(gone())

    def test_hooks_get_what_was_passed(self):

        @nereid.jit
        def kernel(out, value, n: tl.constexpr):
            tl.store(out, value + n)

        seen = []
        kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append((args[1:], kwargs)))
        out = np.zeros(1, np.float32)
        kernel[(1,)](out, 2.0, n=3)
        kernel.run(out, value=1.0, n=4, grid=(1,), warmup=False)
        self.assertEqual(seen, [((2.0,), {"n": 3}), ((), {"value": 1.0, "n": 4})])

    def test_subclasses_say_what_a_grid_is(self):

        class Doubled(type(fill)):

            def __getitem__(self, grid):
                return super().__getitem__((2 * grid[0],))

        @Doubled
        def kernel(out):
            tl.store(out + tl.program_id(0), 1)

        out = np.zeros(3, np.int32)
        kernel[(1,)](out)
        np.testing.assert_array_equal(out, [1, 1, 0])
        with self.assertRaises(AttributeError):
            type(fill).__getitem__(3, (1,))


if __name__ == "__main__":
    main()
