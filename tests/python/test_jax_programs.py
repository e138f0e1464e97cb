# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a JAX program's call is data: programs that go from process to process, those for GPUs that are not here,
calls that triton_call does not make; and programs for jax-triton."""

import importlib.util
import os
import tempfile
import unittest

from running import main, require, run_program

require("numpy", "jax")
import jax
import jax.numpy as jnp
import numpy as np

from jax_kernels import like, scaled
from nereid.jax import register
from nereid.jax.prepare import Prepared
from nereid.jax.stand_ins import buffers_of

PROGRAM = '''
import jax
import jax.numpy as jnp
import jax_triton as jt
import triton
import triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, length, output_ptr, block_size: tl.constexpr):
    offsets = tl.program_id(axis=0) * block_size + tl.arange(0, block_size)
    mask = offsets < length
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)

def add(x, y):
    return jt.triton_call(x, y, x.size, kernel=add_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
                          grid=(jt.cdiv(x.size, 8),), block_size=8)

x = jnp.arange(3.0)
print(jax.jit(add)(x, x))
'''


EXPORT = PROGRAM.replace("print(jax.jit(add)(x, x))", """
import sys
safe = jax.export.DisabledSafetyCheck.custom_call("nereid_call")
open(sys.argv[1], "wb").write(jax.export.export(jax.jit(add), disabled_checks=[safe])(x, x).serialize())
""").replace("import jax\n", "import jax\nimport jax.export\n", 1)

IMPORT = """
import jax, jax.export, nereid.jax, sys
nereid.jax.register(jax.default_backend().replace("gpu", "cuda"))
program = jax.export.deserialize(open(sys.argv[1], "rb").read())
x = jax.numpy.arange(3.0)
print(program.call(x, x))
"""


class Kept(unittest.TestCase):

    def test_a_program_that_JAX_keeps_on_disk(self):
        with tempfile.TemporaryDirectory() as directory:
            environment = {"JAX_COMPILATION_CACHE_DIR": directory, "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
                           "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0"}
            path, kept = os.path.join(directory, "add.py"), []
            with open(path, "w") as file:  # of one name, which stands in the code for messages
                file.write(PROGRAM)
            for _ in range(2):
                output, errors, code = run_program("import runpy, sys\nrunpy.run_path(sys.argv[1])", path,
                                                   environment=environment)
                self.assertEqual((output, code), ("[0. 2. 4.]\n", 0), errors)
                kept.append({name for name in os.listdir(directory) if name.startswith("jit_add-")})
            self.assertTrue(kept[0])
            self.assertEqual(*({name.removesuffix("-atime") for name in names} for names in kept))

    @unittest.skipUnless(importlib.util.find_spec("flatbuffers"), "jax.export keeps nothing without flatbuffers")
    def test_a_program_that_is_exported(self):
        with tempfile.NamedTemporaryFile(suffix=".bin") as file:
            output, errors, code = run_program(EXPORT, file.name)
            self.assertEqual((output, code), ("", 0), errors)
            output, errors, code = run_program(IMPORT, file.name)
            self.assertEqual((output, code), ("[0. 2. 4.]\n", 0), errors)


class UnderJaxTriton(unittest.TestCase):

    def test_its_own_example(self):
        for environment in ({}, {"TRITON_INTERPRET": "1", "JAX_PLATFORMS": "cpu"}):
            output, errors, code = run_program(PROGRAM, environment=environment)
            self.assertEqual((output, code), ("[0. 2. 4.]\n", 0), errors)


FOR_GPU = PROGRAM.replace("print(jax.jit(add)(x, x))", """
from jax import export
safe = export.DisabledSafetyCheck.custom_call("nereid_call")
text = export.export(jax.jit(add), platforms=["cuda"], disabled_checks=[safe])(x, x).mlir_module()
code = bytes.fromhex(text.split('code = dense<"0x')[1].split('"')[0])
print(b".visible .entry" in code, "buffers = dense<[0, 1, -1, 2]>" in text)
""")


class WithoutGpu(unittest.TestCase):

    @unittest.skipUnless(os.environ.get("NEREID_TEST_FAKE_CUDA"), "NEREID_TEST_FAKE_CUDA names no driver to test with")
    def test_a_program_for_one(self):
        environment = {"NEREID_LIBCUDA": os.environ["NEREID_TEST_FAKE_CUDA"], "FAKE_CUDA": "devices=1",
                       "JAX_PLATFORMS": "cpu", "TRITON_INTERPRET": "0"}
        output, errors, code = run_program(FOR_GPU, environment=environment)
        self.assertEqual((output, code), ("True True\n", 0), errors)


class Page(unittest.TestCase):

    def test_its_example(self):
        page = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "docs", "jax.md")
        if not os.path.exists(page):
            self.skipTest("the page is not here")
        with open(page) as file:
            program = file.read().split("```python\n")[1].split("```")[0]
        output, errors, code = run_program(program)
        self.assertEqual(code, 0, errors)
        before, after = map(float, output.split())
        self.assertLess(after, before / 4)


class Handlers(unittest.TestCase):
    """Calls that triton_call does not make."""

    def attributes(self, numbers):
        x = jnp.ones(8)
        buffers = dict(enumerate(buffers_of([x], [x]).values()))
        arguments = {"x": buffers[0], "out": buffers[1], "n": 8, "factor": 2.0, "BLOCK": 8}
        register()
        return Prepared(scaled, arguments, {}, 1, "cpu").attributes(numbers, may_overlap=False)

    def call(self, **attributes):
        with jax.default_device(jax.devices("cpu")[0]):
            x = jnp.arange(8.0)
            call = jax.ffi.ffi_call("nereid_call", like(x))
            return np.asarray(jax.jit(lambda x: call(x, **attributes))(x))

    def refused(self, pattern, **attributes):
        with self.assertRaisesRegex((ValueError, jax.errors.JaxRuntimeError), f"kernel 'scaled': {pattern}"):
            self.call(**attributes)

    def test_what_is_made(self):
        np.testing.assert_array_equal(self.call(**self.attributes({0: 0, 1: 1})), 2 * np.arange(8))

    def test_memory_that_a_result_shares(self):
        self.refused("XLA gives a result memory that another argument has", **self.attributes({0: 1, 1: 1}))

    def test_of_other_versions_and_processes(self):
        made = self.attributes({0: 0, 1: 1})
        for name in "grid", "bits", "multiples":
            changed = {name: made[name][1:]}
            self.refused("the program was made by another version", **{**made, **changed})
        self.refused("the program was made by another version", **self.attributes({0: 0, 1: 7}))
        self.refused("the program was compiled in another process", **{**made, "kept": "gone"})
        damaged = {**made, "code": np.zeros(9, np.uint8), "kept": ""}
        self.refused("the code of the call is too short for a compiled kernel", **damaged)


if __name__ == "__main__":
    main()
