# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""use.py LIBRARY: the operator in a model, beside the function that it is to be."""

import math
import sys

import numpy as np
import onnxruntime


def field(number, content):
    """A field of a protocol buffer: a number, or bytes with their length."""
    if isinstance(content, int):
        return bytes([number << 3, content])
    return bytes([number << 3 | 2, len(content)]) + content


def tensor(name):
    """Of float32, of any two extents."""
    shape = b"".join(field(1, field(2, extent)) for extent in (b"rows", b"columns"))
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def model():
    """x -> nereid.example.Gelu -> y, as the package `onnx` would write it."""
    node = field(1, b"x") + field(2, b"y") + field(4, b"Gelu") + field(7, b"nereid.example")
    graph = field(1, node) + field(2, b"graph") + field(11, tensor(b"x")) + field(12, tensor(b"y"))
    operators = [(b"nereid.example", 1), (b"", 17)]
    sets = b"".join(field(8, field(1, domain) + field(2, version)) for domain, version in operators)
    return field(1, 8) + field(7, graph) + sets


options = onnxruntime.SessionOptions()
options.register_custom_ops_library(sys.argv[1])
session = onnxruntime.InferenceSession(model(), options, providers=["CPUExecutionProvider"])
for shape in ((1, 1), (0, 5), (3, 1000), (64, 64)):
    x = np.random.default_rng(1).standard_normal(shape, np.float32)
    found, = session.run(None, {"x": x})
    wanted = np.vectorize(lambda v: v / 2 * (1 + math.erf(v / math.sqrt(2))), otypes=[float])(x.astype(float))
    np.testing.assert_allclose(found, wanted.reshape(shape), rtol=1e-5, atol=1e-6)
print("right")
