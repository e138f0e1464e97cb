# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels of threads: Python, which runs their text one thread after the other, the checked device, the device at
hand (the CPU, or a GPU), and some in the emulator of PTX agree. NEREID_TEST_SEEDS=from,to asks for others than the usual
ones."""

import os
import sys
import tempfile
import types
import unittest
import warnings

from running import main, require

require("numpy")
import numpy as np

import nereid

nereid.install_as_numba_cuda()
from nereid import _native
from nereid.threads import inspection
from nereid.threads.signatures import kind_of_value
from random_threads import maker, referee

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "backend", "nvptx", "emulator"))
import emulate
import ptx

SEEDS = [int(seed) for seed in os.environ.get("NEREID_TEST_SEEDS", "0,24").split(",")]
EMULATED = int(os.environ.get("NEREID_TEST_EMULATED", "3"))  # one in so many
warnings.simplefilter("ignore")


def compiled_kernel(made, directory, seed):
    path = os.path.join(directory, f"kernel{seed}.py")
    with open(path, "w") as file:
        file.write(maker.HEADER + made.text)
    scope = {}
    exec(compile(maker.HEADER + made.text, path, "exec"), scope)
    return scope["kernel"]


def launched(kernel, made, arguments, checked):
    kernel = type(kernel)(kernel.fn)  # a kernel stays on the device that its first launch had
    kernel.is_interpreted = kernel._dispatcher.is_host_only = checked
    given = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in arguments.items()}
    kernel[made.grid, made.block, 0, made.shared](*given.values())
    return {name: value for name, value in given.items() if isinstance(value, np.ndarray)}


def emulated(kernel, made, arguments):
    kinds = tuple(map(kind_of_value, arguments.values()))
    described, options = inspection._looked_at(kernel, kinds, made.block, made.shared)
    text = _native.dump(kernel._native_value(), described, "ptx", "sm_90a", may_overlap=True, **options)[-1][2]
    values = []
    for value in arguments.values():
        if isinstance(value, np.ndarray):
            values += [value.tobytes(), *value.shape]
        else:
            values.append(ptx.from_float64(value) if isinstance(value, float) else value & 2**64 - 1)
    arrays = emulate.run_ptx(text, "kernel", values, made.grid)
    named = [(name, value) for name, value in arguments.items() if isinstance(value, np.ndarray)]
    return {name: np.frombuffer(data, value.dtype).reshape(value.shape) for (name, value), data in zip(named, arrays)}


class RandomKernels(unittest.TestCase):

    def test_executors_are_two(self):
        """The checked device tells of what others do not look at."""
        text = ("@cuda.jit\ndef kernel(out):\n    kept = cuda.shared.array(4, int64)\n"
                "    out[0] = kept[1] * 0\n")
        made = types.SimpleNamespace(text=text, grid=(1, 1, 1), block=(1, 1, 1), shared=0)
        arguments = {"out": np.ones(1, np.int64)}
        with tempfile.TemporaryDirectory() as directory:
            kernel = compiled_kernel(made, directory, "unwritten")
            with self.assertRaises(nereid.errors.InterpreterError):
                launched(kernel, made, arguments, True)
            self.assertEqual(launched(kernel, made, arguments, False)["out"][0], 0)

    def compare(self, seed, executor, wanted, got, text):
        for name, array in wanted.items():
            if not np.array_equal(array, got[name], equal_nan=array.dtype.kind in "fmM"):
                places = np.argwhere(~((array == got[name]) | ((array != array) & (got[name] != got[name]))))
                place = tuple(int(i) for i in places[0])
                self.fail(f"seed {seed}, {executor}: {name}{place} is {got[name][place]}, not {array[place]}, and "
                          f"{len(places) - 1} more\n{text}")

    def test_executors_agree(self):
        with tempfile.TemporaryDirectory() as directory:
            for seed in range(*SEEDS):
                self.check(seed, directory)

    def check(self, seed, directory):
        made = maker.RandomKernel(seed)
        arguments = made.arguments(seed)
        shown = f"grid {made.grid}, block {made.block}, {made.shared} bytes shared\n{made.text}"
        wanted = referee.run(made, arguments)
        try:
            kernel = compiled_kernel(made, directory, seed)
            for executor, run in (("checked", lambda: launched(kernel, made, arguments, True)),
                                  ("device", lambda: launched(kernel, made, arguments, False)),
                                  ("emulator", lambda: emulated(kernel, made, arguments))):
                if executor != "emulator" or EMULATED and seed % EMULATED == 0:
                    self.compare(seed, executor, wanted, run(), shown)
        except self.failureException:
            raise
        except Exception as error:
            self.fail(f"seed {seed}: {type(error).__name__}: {error}\n{shown}")


if __name__ == "__main__":
    main()
