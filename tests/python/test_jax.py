# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in JAX programs: values against NumPy in double precision, how arrays go in and out, what JAX makes of calls,
and what is refused."""

import os
import unittest
import unittest.mock

from running import failures_when_checked, main, require

require("numpy", "jax")
import jax
import jax.numpy as jnp
import numpy as np

import nereid
import nereid.language as tl
from jax_kernels import (add, add_arrays, add_into, chosen, like, negate_and_count, product_of, random, scaled,
                         softmax_of, tuned)
from nereid.jax import triton_call


class Values(unittest.TestCase):

    def test_sums_of_many_types_and_sizes(self):
        for dtype, error in (("float32", 1e-6), ("float16", 2e-3), ("bfloat16", 2e-2), ("int32", 0)):
            for n in (1, 3, 128, 1000, 4099):
                x, y = (jnp.asarray(100 * random(n, seed=seed)).astype(dtype) for seed in (1, 2))
                wanted = np.asarray(x, np.float64) + np.asarray(y, np.float64)
                got = add_arrays(x, y)
                self.assertEqual((got.dtype, got.shape), (x.dtype, x.shape))
                np.testing.assert_allclose(np.asarray(got, np.float64), wanted, rtol=error, atol=error)

    def test_softmax(self):
        for shape in ((1, 1), (5, 781), (3, 1024)):
            x = random(*shape)
            powers = np.exp(x - x.max(1, keepdims=True))
            got = jax.jit(softmax_of)(jnp.asarray(x, jnp.float32))
            np.testing.assert_allclose(got, powers / powers.sum(1, keepdims=True), rtol=1e-5)

    def test_product_of_odd_sizes(self):
        a, b = random(45, 37), random(37, 19, seed=2)
        got = jax.jit(product_of)(jnp.asarray(a, jnp.float32), jnp.asarray(b, jnp.float32))
        np.testing.assert_allclose(got, a @ b, rtol=1e-4, atol=1e-4)

    def test_several_outputs_and_booleans(self):
        flags = np.arange(50) % 3 == 0
        for names in (0, 1), ("inverse", "number"):  # a tree's leaves are in the order of its keys
            out_shape = dict(zip(names, (like(flags), jax.ShapeDtypeStruct((), jnp.int32))))
            got = jax.jit(lambda flags: triton_call(flags, kernel=negate_and_count, out_shape=out_shape, grid=(1,),
                                                    n=flags.size, BLOCK=64))(flags)
            np.testing.assert_array_equal(got[names[0]], ~flags)
            self.assertEqual(int(got[names[1]]), flags.sum())

    def test_arrays_without_elements(self):
        empty = jnp.zeros((0,), jnp.float32)
        self.assertEqual(add_arrays(empty, empty).shape, (0,))
        x = jnp.arange(8.0)
        got = triton_call(x, empty, 0, kernel=add, out_shape=like(x), grid=(0,), BLOCK=16, zeroed_outputs=(0,))
        np.testing.assert_array_equal(got, np.zeros(8))

    def test_numbers_are_constants_and_told_apart(self):
        x = jnp.arange(5, dtype=jnp.float32)

        @jax.jit
        def all_of_them(x):
            return [triton_call(x, kernel=scaled, out_shape=like(x), grid=1, n=5, factor=factor, BLOCK=8)
                    for factor in (1, 1.0, True, 2, 16, 0.5, -0.0, np.float32(3))]

        for got, factor in zip(all_of_them(x), (1, 1, 1, 2, 16, 0.5, -0.0, 3)):
            np.testing.assert_array_equal(got, np.asarray(x) * np.float32(factor))
        self.assertTrue(np.signbit(all_of_them(x)[6][1]))
        got = triton_call(jnp.arange(5), kernel=scaled, out_shape=like(x), grid=1, n=5, factor=1.5, BLOCK=8)
        np.testing.assert_array_equal(got, np.arange(5) * 1.5)


class Memory(unittest.TestCase):

    def test_an_argument_becomes_an_output(self):
        for call in (lambda f: f, jax.jit):
            sums, x = jnp.full((8,), 10, jnp.int32), jnp.ones((100,), jnp.int32)
            got = call(lambda sums, x: triton_call(sums, x, kernel=add_into, out_shape=like(sums), grid=2, n=x.size,
                                                   BLOCK=64, input_output_aliases={0: 0}))(sums, x)
            np.testing.assert_array_equal(got, 10 + np.bincount(np.arange(100) % 8))
            np.testing.assert_array_equal(sums, np.full(8, 10))  # the program still has it, so XLA copied it

    def test_an_argument_that_is_given_away_is_changed_where_it_is(self):
        call = jax.jit(lambda sums, x: triton_call(sums, x, kernel=add_into, out_shape=like(sums), grid=1, n=8, BLOCK=8,
                                                   input_output_aliases={0: 0}), donate_argnums=0)
        sums = jnp.zeros((8,), jnp.int32) + 1
        address = sums.unsafe_buffer_pointer()
        got = call(sums, jnp.ones((8,), jnp.int32))
        self.assertEqual((got.unsafe_buffer_pointer(), sums.is_deleted()), (address, True))
        np.testing.assert_array_equal(got, np.full(8, 2))

    def test_an_aliased_output_may_have_a_parameter_of_its_own(self):
        x = jnp.arange(300.0)
        got = jax.jit(lambda x: add_arrays(x, x, input_output_aliases={0: 0}))(x)
        np.testing.assert_array_equal(got, 2 * np.arange(300.0))

    def test_the_same_array_beside_one_that_becomes_an_output(self):
        x = jnp.arange(8, dtype=jnp.int32)
        got = jax.jit(lambda x: triton_call(x, x, kernel=add_into, out_shape=like(x), grid=1, n=8, BLOCK=8,
                                            input_output_aliases={0: 0}))(x)
        np.testing.assert_array_equal(got, 2 * np.arange(8))

    def test_zeroed_outputs(self):
        x = jnp.ones((100,), jnp.int32)
        wanted = np.bincount(np.arange(100) % 8)

        @nereid.jit
        def count(x, sums, n, BLOCK: tl.constexpr):
            places = tl.arange(0, BLOCK)
            tl.atomic_add(sums + places % 8, tl.load(x + places, mask=places < n, other=0), mask=places < n)

        for zeroed in ((0,), lambda meta: [0] if meta["BLOCK"] == 128 else []):
            got = jax.jit(lambda x: triton_call(x, kernel=count, out_shape=like(x, shape=(8,)), grid=1, n=100,
                                                BLOCK=128, zeroed_outputs=zeroed))(x)
            np.testing.assert_array_equal(got, wanted)
        sevens = jnp.full((8,), 7, jnp.int32)
        got = triton_call(sevens, x, kernel=add_into, out_shape=like(sevens), grid=1, n=100, BLOCK=128,
                          input_output_aliases={0: 0}, zeroed_outputs=(0,))
        np.testing.assert_array_equal(got, wanted)

    def test_an_argument_that_the_kernel_stores_into(self):
        sums, x = jnp.zeros((8,), jnp.int32), jnp.ones((8,), jnp.int32)

        @nereid.jit
        def careless(sums, x, out, n, BLOCK: tl.constexpr):
            places = tl.arange(0, BLOCK)
            tl.store(sums + places, tl.load(x + places))
            tl.store(out + places, tl.load(x + places))

        with self.assertRaisesRegex(ValueError, "careless stores through 'sums'.*input_output_aliases"):
            triton_call(sums, x, kernel=careless, out_shape=like(x), grid=1, n=8, BLOCK=8)


class Choices(unittest.TestCase):

    def test_configurations_are_tried_once(self):
        x = jnp.arange(1000, dtype=jnp.float32)
        tuned.cache.clear()
        for _ in range(2):
            got = jax.jit(lambda x: triton_call(x, kernel=tuned, out_shape=like(x), n=x.size, factor=3.0,
                                                grid=lambda meta: (nereid.cdiv(meta["n"], meta["BLOCK"]),)))(x)
            np.testing.assert_array_equal(got, 3 * np.arange(1000))
        self.assertEqual(len(tuned.cache), 1)
        self.assertIn(next(iter(tuned.cache.values())), tuned.configs)

    def test_a_configuration_with_a_hook(self):
        hooked = nereid.autotune(configs=[nereid.Config({"BLOCK": 64}, pre_hook=print)], key=[])(scaled)
        x = jnp.ones(8)
        with self.assertRaisesRegex(NotImplementedError, "scaled has a pre_hook"):
            triton_call(x, kernel=hooked, out_shape=like(x), grid=1, n=8, factor=2.0)

    def test_heuristics(self):
        x = jnp.arange(50, dtype=jnp.float32)
        got = jax.jit(lambda x: triton_call(x, kernel=chosen, out_shape=like(x), grid=1, n=x.size, factor=2))(x)
        np.testing.assert_array_equal(got, 2 * np.arange(50))

    def test_options(self):
        x = jnp.arange(50, dtype=jnp.float32)
        got = add_arrays(x, x, num_warps=8, num_stages=2, num_ctas=1, name="sum", serialized_metadata=b"",
                         compute_capability=90, enable_fp_fusion=False, backend_options={"maxnreg": 64})
        np.testing.assert_array_equal(got, 2 * np.arange(50))


class Programs(unittest.TestCase):

    def test_on_each_device_of_a_mesh(self):
        mesh = jax.make_mesh((len(jax.devices()),), ("rows",))
        P = jax.sharding.PartitionSpec
        x = random(8, 100)
        powers = np.exp(x - x.max(1, keepdims=True))
        arguments = dict(mesh=mesh, in_specs=P("rows"), out_specs=P("rows"))
        spread = jax.device_put(jnp.asarray(x, jnp.float32), jax.sharding.NamedSharding(mesh, P("rows")))
        got = jax.jit(jax.shard_map(softmax_of, **arguments))(spread)
        self.assertEqual(len(got.sharding.device_set), len(jax.devices()))
        np.testing.assert_allclose(got, powers / powers.sum(1, keepdims=True), rtol=1e-5)

    def test_a_call_inside_loops(self):
        x = jnp.ones((64,))
        got = jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda _, sum: add_arrays(sum, sum), x))(x)
        np.testing.assert_array_equal(got, np.full(64, 32.0))
        got = jax.lax.map(lambda row: add_arrays(row, row), jnp.ones((3, 64)))
        np.testing.assert_array_equal(got, np.full((3, 64), 2.0))

    def test_a_kernel_lives_as_long_as_its_program(self):

        def program():
            @nereid.jit
            def passing(x, out, BLOCK: tl.constexpr):
                tl.store(out + tl.arange(0, BLOCK), tl.load(x + tl.arange(0, BLOCK)) + 1)

            x = jnp.zeros((16,))
            call = jax.jit(lambda x: triton_call(x, kernel=passing, out_shape=like(x), grid=1, BLOCK=16))
            return call.lower(x).compile()

        compiled = program()
        np.testing.assert_array_equal(compiled(jnp.zeros((16,))), np.ones(16))

    def test_a_program_that_is_trained(self):

        @jax.custom_vjp
        def product(a, b):
            return product_of(a, b)

        product.defvjp(lambda a, b: (product_of(a, b), (a, b)),
                       lambda kept, slope: (product_of(slope, kept[1].T), product_of(kept[0].T, slope)))
        x = jnp.asarray(random(64, 20), jnp.float32)
        y = x @ jnp.asarray(random(20, 3, seed=2), jnp.float32)

        def loss(weights):
            return jnp.mean((product(jnp.tanh(product(x, weights[0])), weights[1]) - y) ** 2)

        def same_loss(weights):
            return jnp.mean((jnp.tanh(x @ weights[0]) @ weights[1] - y) ** 2)

        weights = [jnp.asarray(random(*shape, seed=3) / 5, jnp.float32) for shape in ((20, 32), (32, 3))]
        with jax.default_matmul_precision("highest"):
            for got, wanted in zip(jax.grad(loss)(weights), jax.grad(same_loss)(weights)):
                np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
        step = jax.jit(lambda weights: [w - 0.05 * g for w, g in zip(weights, jax.grad(loss)(weights))])
        before = loss(weights)
        for _ in range(60):
            weights = step(weights)
        self.assertLess(loss(weights), before / 4)

    def test_no_batches_and_no_derivatives_by_themselves(self):
        x = jnp.ones((4, 64))
        with self.assertRaisesRegex(NotImplementedError, "kernel add .*jax.vmap.*custom_vmap.*jax.lax.map"):
            jax.vmap(add_arrays)(x, x)
        with self.assertRaisesRegex(NotImplementedError, "kernel add has no derivative.*custom_vjp"):
            jax.grad(lambda x: add_arrays(x, x).sum())(x[0])

    def test_what_a_launch_finds_is_JAXs_error(self):

        @nereid.jit
        def asserting(x, out, BLOCK: tl.constexpr):
            tl.device_assert(tl.load(x) > 0, "it is not positive")
            tl.store(out, tl.load(x))

        call = jax.jit(lambda x: triton_call(x, kernel=asserting, out_shape=like(x), grid=1, BLOCK=1, debug=True))
        np.testing.assert_array_equal(call(jnp.ones((1,))), [1])
        with self.assertRaisesRegex((ValueError, jax.errors.JaxRuntimeError),
                                    "(?s)(?=.*kernel 'asserting').*it is not positive"):
            jax.block_until_ready(call(-jnp.ones((1,))))


@nereid.jit
def wrong(x, out):
    tl.store(out, tl.nothing(x))


class Mistakes(unittest.TestCase):

    def refused(self, error, pattern, *args, **changes):
        x = jnp.ones((8,))
        given = dict(kernel=add, out_shape=like(x), grid=1, BLOCK=8)
        given = {name: value for name, value in {**given, **changes}.items() if value is not ...}
        with self.assertRaisesRegex(error, pattern) as caught:
            triton_call(*(args or (x, x, 8)), **given)
        self.assertEqual(len(str(caught.exception).splitlines()), 1, caught.exception)

    def test_arguments(self):
        x = jnp.ones((8,))
        self.refused(TypeError, "add leave 2 of its parameters .n, out. to 1 outputs", x, x)
        self.refused(TypeError, "add leave 0 of its parameters .none. to 1 outputs", x, x, 8, x)
        self.refused(TypeError, "add has 5 parameters, and 6 arguments", x, x, 8, x, 8, 8)
        self.refused(TypeError, "no parameter 'BLOCKS'.*its parameters are x, y, n, out, BLOCK", BLOCKS=8)
        self.refused(TypeError, "two values for 'x'", x=x)
        self.refused(TypeError, "missing required arguments: 'BLOCK'", BLOCK=...)
        self.refused(TypeError, "'BLOCK' of kernel add is a tl.constexpr, and an array", BLOCK=x)
        self.refused(TypeError, "decorated with @jit.* not a function", kernel=lambda: None)

    def test_outputs(self):
        self.refused(TypeError, "add needs out_shape", out_shape=...)
        self.refused(TypeError, "out_shape has a int where", out_shape=3)
        self.refused(ValueError, "zeroed_outputs has 1, and kernel add has 1 outputs", zeroed_outputs=[1])
        self.refused(ValueError, "argument 2, which is no array", input_output_aliases={2: 0})
        self.refused(ValueError, "output 1, and there are 1", input_output_aliases={0: 1})
        self.refused(ValueError, r"argument 0 is float32\[8\] and output 0 int32\[4\]", input_output_aliases={0: 0},
                     out_shape=jax.ShapeDtypeStruct((4,), jnp.int32))

    def test_grids(self):
        self.refused(TypeError, "grid", grid=...)
        self.refused(ValueError, "one to three extents", grid=(1, 1, 1, 1))
        self.refused(TypeError, "a grid is a tuple of one to three integers", grid="many")
        self.refused(TypeError, "a grid is a tuple of one to three integers", grid=lambda meta: None)

    def test_types(self):
        x = jnp.ones((8,))
        with jax.enable_x64(False):
            self.refused(TypeError, "output 0 of kernel add is of float64, which JAX makes float32 unless jax_enable_x",
                         out_shape=jax.ShapeDtypeStruct((8,), np.float64))
            self.refused(TypeError, "argument 'y' of kernel add is of float64", x, np.ones(8), 8)
        with jax.enable_x64(True):
            doubles = np.arange(8.0)
            np.testing.assert_array_equal(add_arrays(doubles, doubles), 2 * doubles)
        self.refused(TypeError, "complex64", x.astype(jnp.complex64), x, 8)
        with self.assertRaisesRegex(nereid.errors.CompilationError, "nothing"):
            triton_call(x, kernel=wrong, out_shape=like(x), grid=1)


class Checked(unittest.TestCase):

    @unittest.skipIf(add.is_interpreted, "is the checked run")
    def test_all_of_it_on_the_checked_device(self):
        with unittest.mock.patch.dict(os.environ, JAX_PLATFORMS="cpu"):
            self.assertEqual(failures_when_checked(os.path.abspath(__file__)), "")


if __name__ == "__main__":
    main()
