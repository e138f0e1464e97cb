# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries that lie on a GPU, and the streams on which they were made: CuPy's, JAX's, Numba's."""

import importlib
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from running import main, require_gpu

torch = require_gpu()
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the GPU is not JAX's alone
import numpy as np

from kernels import add

N = 1 << 20


def optional(name):
    """A library that some machines lack, or that does not work beside the others."""
    try:
        return importlib.import_module(name)
    except Exception:
        return None


cupy, jax, cuda = map(optional, ("cupy", "jax", "numba.cuda"))
NUMBERS = np.arange(N, dtype=np.float32)


def launch(x, out):
    add[(-(-N // 1024),)](x, x, out, N, BLOCK=1024)


class Arrays(unittest.TestCase):

    @unittest.skipUnless(cupy, "no CuPy")
    def test_of_CuPy(self):
        x, out = cupy.asarray(NUMBERS), cupy.zeros(N, cupy.float32)
        launch(x, out)
        np.testing.assert_array_equal(cupy.asnumpy(out), 2 * NUMBERS)

    @unittest.skipUnless(cupy, "no CuPy")
    def test_stream_of_CuPy(self):
        """What stands in the stream before the launch is done before it, without a wait of the host's."""
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            x = cupy.zeros(N, cupy.float32)
            for _ in range(200):
                x += 1
            out = cupy.empty(N, cupy.float32)
            launch(x, out)
            out -= 400
        stream.synchronize()
        self.assertEqual(float(cupy.abs(out).max()), 0)

    @unittest.skipUnless(jax, "no JAX")
    def test_of_JAX(self):
        if jax.default_backend() != "gpu":
            self.skipTest("JAX finds no GPU")
        x, out = jax.numpy.asarray(NUMBERS), torch.zeros(N, device="cuda")
        launch(x, out)
        np.testing.assert_array_equal(out.cpu().numpy(), 2 * NUMBERS)
        with self.assertRaisesRegex(ValueError, "argument 'out' is an array that may only be read"):
            launch(x, x)

    @unittest.skipUnless(jax, "no JAX")
    def test_of_JAX_that_is_being_computed(self):
        if jax.default_backend() != "gpu":
            self.skipTest("JAX finds no GPU")
        grow = jax.jit(lambda x: jax.lax.fori_loop(0, 3000, lambda i, x: x * 1.0 + 1.0, x))
        out = torch.zeros(N, device="cuda")
        for start in range(3):  # compiled in the first round
            x = grow(jax.numpy.full(N, float(start)))
            launch(x, out)
            self.assertEqual(out.cpu().unique().tolist(), [2.0 * (3000 + start)])

    @unittest.skipUnless(cuda, "no Numba")
    def test_of_Numba(self):
        x, out = cuda.to_device(NUMBERS), cuda.device_array(N, np.float32)
        launch(x, out)
        np.testing.assert_array_equal(out.copy_to_host(), 2 * NUMBERS)

    @unittest.skipUnless(cuda, "no Numba")
    def test_stream_of_Numba(self):
        stream = cuda.stream()
        x, out = cuda.to_device(NUMBERS, stream=stream), cuda.device_array(N, np.float32, stream=stream)
        launch(x, out)
        numbers = out.copy_to_host(stream=stream)
        stream.synchronize()
        np.testing.assert_array_equal(numbers, 2 * NUMBERS)


if __name__ == "__main__":
    main()
