# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries as arguments of a launch: what each gives is read, and written where it may be."""

import importlib
import unittest

from running import main, require

require("numpy")
import numpy as np

from kernels import add

N = 37


def optional(name):
    """A library that some machines lack."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


jax, mlx, onnxruntime, pyarrow = map(optional, ("jax", "mlx.core", "onnxruntime", "pyarrow"))


class Arrays(unittest.TestCase):

    def assert_read(self, x, numbers):
        out = np.zeros(N, np.float32)
        add[(2,)](x, x, out, N, BLOCK=32)
        np.testing.assert_array_equal(out, 2 * np.asarray(numbers, np.float32))

    def assert_never_written(self, out):
        x = np.ones(N, np.float32)
        with self.assertRaisesRegex(ValueError, "argument 'out' is an array that may only be read"):
            add[(2,)](x, x, out, N, BLOCK=32)

    @unittest.skipUnless(jax, "no JAX")
    def test_of_JAX(self):
        for dtype in ("float32", "float16", "bfloat16", "int8", "int32", "float8_e5m2"):
            with jax.default_device(jax.devices("cpu")[0]):  # where NumPy's are, beside which it is launched
                x = jax.numpy.arange(N).astype(dtype)
            self.assert_read(x, x.astype("float32"))
            self.assert_never_written(x)

    @unittest.skipUnless(pyarrow, "no PyArrow")
    def test_of_PyArrow(self):
        numbers = np.arange(N, dtype=np.float32)
        for x in pyarrow.array(numbers), pyarrow.Tensor.from_numpy(numbers):
            self.assert_read(x, numbers)
        sliced = pyarrow.array(np.arange(N + 5, dtype=np.int64))[5:]
        self.assert_read(sliced, np.arange(5, N + 5))
        self.assert_never_written(pyarrow.array(numbers))

    @unittest.skipUnless(onnxruntime, "no ONNX Runtime")
    def test_of_ONNX_Runtime(self):
        numbers = np.arange(N, dtype=np.float32)
        x, out = map(onnxruntime.OrtValue.ortvalue_from_numpy, (numbers, np.zeros(N, np.float32)))
        self.assert_read(x, numbers)
        add[(2,)](x, x, out, N, BLOCK=32)
        np.testing.assert_array_equal(out.numpy(), 2 * numbers)

    @unittest.skipUnless(mlx, "no MLX")
    def test_of_MLX(self):
        for dtype in (mlx.float32, mlx.float16, mlx.bfloat16, mlx.int8, mlx.int32):
            x = mlx.arange(N).astype(dtype)  # not computed yet
            self.assert_read(x, x.astype(mlx.float32))
        self.assert_read(mlx.arange(N + 5)[5:], np.arange(5, N + 5))
        x, out = mlx.arange(N, dtype=mlx.float32), mlx.zeros(N)
        add[(2,)](x, x, out, N, BLOCK=32)
        np.testing.assert_array_equal(np.array(out), 2 * np.arange(N))

    def test_types_of_NumPy_that_NumPy_does_not_know(self):
        types = optional("ml_dtypes")
        if not types:
            self.skipTest("no ml_dtypes")
        for dtype in types.bfloat16, types.float8_e4m3fn, types.float8_e5m2:
            self.assert_read(np.arange(N).astype(dtype), np.arange(N).astype(dtype).astype(np.float32))
        out = np.zeros(N, types.bfloat16)
        add[(2,)](np.arange(N, dtype=np.float32), np.ones(N, np.float32), out, N, BLOCK=32)
        np.testing.assert_array_equal(out.astype(np.float32), np.arange(N) + 1)


if __name__ == "__main__":
    main()
