# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The key under which a launch finds its kernel, and what the kernel is compiled for, come from the same arguments by one
walk (LaunchKey, nereid/specialize.h): where a key is equal, what is compiled must be. Random arguments, near every border."""

import random
import types
import unittest

import numpy as np
from nereid import TensorDescriptor, _native
from nereid.capture import to_native

NUMBERS = [0, 1, 2, 15, 16, 17, 32, -1, -16, 2**31 - 1, 2**31, -2**31, -2**31 - 1, 2**31 + 16 - 2**31 % 16, 2**32, 2**63 - 1, 2**63,
           2**64 - 16, 2**64 - 1, -2**63]
DTYPES = [np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.bool_]


class Owner:
    """Of a dispatcher that has nothing compiled, and says what would be."""

    _constant = staticmethod(to_native)

    def __init__(self, parameters):
        self.asked = None
        self.dispatcher = _native.Dispatcher(self, parameters)

    def _default_device(self):
        return -1

    def _reads_of_arguments(self, values):
        return []

    def _compile(self, arguments, named, options, may_overlap, device, key):
        self.asked = key, _native.key_of(arguments)
        return types.SimpleNamespace(native=_native.Kernel(), require_unwritten=lambda names: None)


def argument(draw, memory):
    kind = draw.choice(["number", "number", "near", "bool", "float", "array", "array", "none", "tuple", "text", "descriptor"])
    if kind == "number":
        return draw.choice(NUMBERS)
    if kind == "near":
        return draw.randrange(-40, 40)
    if kind == "bool":
        return draw.random() < 0.5
    if kind == "float":
        return draw.choice([0.0, 1.0, -0.0, 16.0, 1e300, float("inf")])
    if kind == "array":
        dtype = np.dtype(draw.choice(DTYPES))
        return memory[draw.choice([0, 16, 32, dtype.itemsize]):][:64].view(dtype)
    if kind == "tuple":
        return tuple(argument(draw, memory) for _ in range(draw.randrange(3)))
    if kind == "descriptor":
        columns = draw.choice([4, 8, 12])
        return TensorDescriptor(memory[:4 * 4 * columns].view(np.float32).reshape(4, columns), [4, columns], [columns, 1],
                                [2, draw.choice([2, 4])])
    return None if kind == "none" else draw.choice(["a", "b"])


def parameter(draw):
    is_constexpr = draw.random() < 0.2
    type_text = draw.choice([None, None, None, "i32", "i64", "fp32", "u64"]) if not is_constexpr else None
    knows_one = draw.random() < 0.7
    return ("x", [], is_constexpr, False, knows_one, knows_one and draw.random() < 0.7, type_text)


class Keys(unittest.TestCase):

    def test_equal_keys_are_of_equal_kernels(self):
        draw, memory = random.Random(7), np.zeros(4096, np.uint8)
        start = -memory.ctypes.data % 64
        memory = memory[start:start + 2048]
        refused = met = 0
        for _ in range(40):
            specification, kernels = parameter(draw), {}
            for _ in range(200):
                given, owner = argument(draw, memory), Owner([specification])
                try:
                    owner.dispatcher.prepare(given)
                except (TypeError, ValueError, OverflowError, RuntimeError):
                    refused += 1  # by the parameter's type
                    continue
                key, kernel = owner.asked
                met += key in kernels
                self.assertEqual(kernels.setdefault(key, kernel), kernel, (specification, given))
        self.assertGreater(met, 2000)
        self.assertLess(refused, 4000)


if __name__ == "__main__":
    unittest.main()
