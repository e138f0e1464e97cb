# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs import of Triton beyond the language and launches, and what they ask there: it works, or it can be
imported and says that it does not where it is used. docs/clients.md lists these names."""

import importlib
import importlib.util
import inspect
import json
import math
import os
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

from running import main, require

require("numpy")
import numpy as np

import nereid

nereid.install_as_triton()
import triton
import triton.language as tl
from nereid.errors import NotSupported


@triton.jit
def copy_group(source, out, first, count, row, BLOCK: tl.constexpr):
    from_group = ragged_tma.load_ragged(source, first, count, [row, 0])
    ragged_tma.store_ragged(out, first, count, [row, 0], from_group + 1)


class Names(unittest.TestCase):

    def test_modules(self):
        for name in """triton._C.libtriton triton.backends.nvidia.compiler triton.backends.nvidia.driver
                triton.compiler.code_generator triton.experimental.gluon triton.experimental.gluon.language
                triton.experimental.gluon.language.nvidia.ampere.async_copy
                triton.experimental.gluon.language.nvidia.blackwell.tma
                triton.experimental.gluon.language.nvidia.hopper.mbarrier triton.experimental.gluon.nvidia.hopper
                triton.language.extra.cuda.gdc triton.language.extra.cuda.utils triton.profiler.language
                triton.tools.compile triton.tools.disasm triton.tools.link triton.tools.ragged_tma""".split():
            self.assertEqual(importlib.import_module(name).__name__, name)

    def test_names(self):
        for module, names in {
                "triton.language.core": "extern base_type base_value dispatch is_builtin must_use_result",
                "triton.language.extra.cuda": "gdc_wait gdc_launch_dependents num_threads num_warps smid globaltimer",
                "triton.profiler": "start finalize activate deactivate scope enter_scope exit_scope state profile",
                "triton.runtime.autotuner": """Autotuner Config Heuristics OutOfResources PTXASError JITFunction driver knobs
                    get_cache_invalidating_env_vars get_cache_manager triton_key""",
                "triton.experimental.gluon._runtime": "GluonASTSource GluonJITFunction jit",
                "triton.tools.link": """HeaderParser KernelLinkerMeta gen_signature_with_full_args make_algo_decls
                    make_default_algo_kernel make_get_num_algos_decl make_get_num_algos_def make_global_decl
                    make_kernel_hints_dispatcher make_kernel_load_def make_kernel_meta_const_dispatcher""",
                "triton.runtime.jit": "compute_cache_key serialize_specialization_data native_specialize_impl",
                "triton.runtime.cache": "get_cache_key _base32 knobs",
                "triton.runtime.interpreter": "InterpretedFunction _implicit_cvt",
                "triton.testing": "runtime do_bench _summarize_statistics",
                "triton.backends.driver": "DriverBase expand_signature",
                "triton.knobs": "runtime_knobs nvidia_knobs JITHook AutotuneListener",
                "triton._compile_warmup_state": "is_compile_warmup",
                "triton.compiler.code_generator": "CodeGenerator CompilationError",
                "triton._utils": "find_paths_if get_iterable_path is_namedtuple canonicalize_ptr_dtype",
        }.items():
            for name in names.split():
                self.assertTrue(hasattr(importlib.import_module(module), name), f"{module}.{name}")
        self.assertTrue(callable(triton.testing.runtime.driver.active.get_current_target))

    @unittest.skipUnless(importlib.util.find_spec("torch"), "no PyTorch")
    def test_what_upstreams_tests_import(self):
        """Theirs run under pytest, which these do without."""
        with mock.patch.dict(sys.modules, {"pytest": mock.MagicMock()}):
            testing = importlib.import_module("triton._internal_testing")
            del sys.modules["triton._internal_testing"]
        self.assertFalse(testing.is_compile_warmup())
        with testing.use_process_pool("tests") as pool:
            self.assertIs(pool.run, testing.run_in_process)

    def test_signatures(self):
        parameters = inspect.signature(tl.range).parameters
        for name in ("num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer", "flatten", "warp_specialize"):
            self.assertIn(name, parameters)
        self.assertIs(parameters["loop_unroll_factor"].default, None)
        self.assertIsNone(inspect.signature(tl.dot).parameters["out_dtype"].default)  # as from Triton 3.8 on
        self.assertIn("_semantic", inspect.signature(tl.core.view).parameters)
        for name, value in vars(tl).items():
            if isinstance(value, type(tl.load)) and value.__doc__:
                self.assertTrue(inspect.signature(value).parameters, name)

    def test_types(self):
        self.assertIsInstance(tl.float32, tl.core.base_type)
        pair = tl.tuple_type([tl.int32, tl.float32], ["a", "b"])
        self.assertIs(tl.core.tuple_type, tl.tuple_type)
        self.assertIsInstance(pair, tl.core.base_type)
        self.assertEqual((str(pair), pair[1], list(pair)), ("[a:int32,b:fp32]", tl.float32, [tl.int32, tl.float32]))
        self.assertEqual(pair, tl.tuple_type([tl.int32, tl.float32], ["a", "b"]))
        self.assertNotEqual(pair, tl.tuple_type([tl.int32, tl.float32]))
        self.assertTrue(tl.core.is_builtin(tl.core.extern(lambda: None)))
        self.assertFalse(tl.core.is_builtin(len))

    def test_type_of_a_tuple(self):

        @triton.jit
        def kernel(x):
            pair = (tl.program_id(0), 1.5)
            tl.static_assert(isinstance(pair.type, tl.tuple_type) and not isinstance(pair, tl.core.tuple_type))
            tl.store(x, pair.type == tl.tuple_type([tl.int32, tl.float32]))

        x = np.zeros(1, np.int32)
        kernel[(1,)](x)
        self.assertEqual(x[0], 1)


@tl.core.extern
def letter_of(width: tl.core.constexpr, _semantic=None):
    if width.value == 32:
        return tl.core.constexpr("r")
    else:
        tl.static_assert(False, "no such width", _semantic=_semantic)


@tl.core.extern
def doubled(x, by: tl.core.constexpr = tl.core.constexpr(2), _semantic=None):
    letter: tl.core.constexpr = letter_of(tl.core.constexpr(x.dtype.primitive_bitwidth), _semantic=_semantic)
    return tl.core.inline_asm_elementwise(f"mul.lo.s32 $0, $1, {by.value};", f"={letter.value},{letter.value}", [x],
                                          dtype=tl.int32, is_pure=True, pack=1, _semantic=_semantic)


@tl.core.builtin
def erf(x, _builder=None):
    return tl.core.extern_elementwise("libdevice", "", [x], {(tl.core.dtype("fp32"),):
                                                             ("__nv_erff", tl.core.dtype("fp32"))}, is_pure=True,
                                       _builder=_builder)


@tl.core.extern
def met(_semantic=None):
    if _semantic.builder.options.backend_name == "hip":
        tl.static_assert(False, "no such machine", _semantic=_semantic)
    return tl.tensor(_semantic.builder.create_barrier(), tl.void)


@tl.core.extern
def lane(axis: tl.core.constexpr, _semantic=None):
    axis = tl.core._unwrap_if_constexpr(axis)
    return tl.core.extern_elementwise("", "", [], {(): (f"llvm.nvvm.read.ptx.sreg.tid.{axis}", tl.core.dtype("int32"))},
                                      is_pure=False, _semantic=_semantic)


@tl.core.extern
def built(_semantic=None):
    return tl.tensor(_semantic.builder.get_int32(1), tl.int32)


class Externs(unittest.TestCase):
    """Functions of clients that are marked as parts of the language."""

    def test_called_by_kernels(self):

        @triton.jit
        def kernel(x, y):
            i = tl.arange(0, 4)
            tl.store(x + i, doubled(tl.load(x + i)) + doubled(tl.load(x + i), 10))
            met()
            tl.store(y + i, erf(tl.load(y + i)))

        x, y = np.arange(4, dtype=np.int32), np.linspace(-1, 1, 4, dtype=np.float32)
        wanted = [math.erf(value) for value in y]
        kernel[(1,)](x, y)
        np.testing.assert_array_equal(x, 12 * np.arange(4))
        np.testing.assert_allclose(y, wanted, rtol=1e-6)

    def test_registers(self):
        """They are a GPU's: compiled for one, refused elsewhere."""

        @triton.jit
        def first(x):
            if lane("x") == 0:
                tl.store(x, 1)

        source = triton.compiler.ASTSource(first, {"x": "*i32"})
        compiled = triton.compile(source, target=triton.backends.compiler.GPUTarget("cuda", 90, 32))
        self.assertIn("%tid.x", compiled.asm["ptx"])
        with self.assertRaisesRegex(triton.CompilationError, "there on a GPU alone"):
            first[(1,)](np.zeros(1, np.int32))

    def test_mistakes(self):

        @triton.jit
        def builds(x):
            built()

        @triton.jit
        def wide(x):
            tl.store(x, doubled(tl.load(x).to(tl.int64)))

        with self.assertRaisesRegex(triton.CompilationError, "'get_int32' belongs to upstream Triton's compiler"):
            builds[(1,)](np.zeros(1, np.int32))
        with self.assertRaisesRegex(triton.CompilationError, "def wide"):
            wide[(1,)](np.zeros(1, np.int32))


class Refusals(unittest.TestCase):
    """By name, and where the program uses it."""

    def refused(self, words):
        return self.assertRaisesRegex(NotSupported, words)

    def test_gluon(self):
        from triton.experimental import gluon
        from triton.experimental.gluon import language as gl
        from triton.experimental.gluon.language.nvidia.hopper import tma

        @gluon.jit
        def kernel(x, N: gl.constexpr):
            gl.store(x, N)

        self.assertIs(gl.float32, tl.float32)
        for call in (lambda: kernel[(1,)](1, N=2), lambda: kernel.warmup(1, grid=(1,)), lambda: kernel(1)):
            with self.refused("kernel is written in Gluon"):
                call()
        with self.refused("gluon.language.BlockedLayout: Nereid compiles no Gluon"):
            gl.BlockedLayout([1], [32], [4], [0])
        with self.refused("nvidia.hopper.tma.async_copy"):
            tma.async_copy()

    def test_tools_and_compiler(self):
        from triton._C.libtriton import get_cache_invalidating_env_vars, ir

        self.assertEqual(get_cache_invalidating_env_vars(), {})
        with self.refused("libtriton.ir.context: Triton's IR"):
            ir.context()
        from triton._C.libtriton.gluon_ir import make_cga_layout
        with self.refused("libtriton.gluon_ir.make_cga_layout: Triton's IR"):
            make_cga_layout([])
        for module, name in (("tools.compile", "compile_kernel"), ("tools.link", "HeaderParser"),
                             ("runtime.interpreter", "_implicit_cvt"), ("compiler.code_generator", "CodeGenerator")):
            with self.refused(name):
                getattr(importlib.import_module("triton." + module), name)(None)

    def test_in_kernels(self):

        @triton.jit
        def kernel(x):
            tl.store(x, tl.extra.cuda.convert_custom_float8_sm80(1.0))

        with self.assertRaisesRegex(triton.CompilationError, "convert_custom_float8_sm80"):
            kernel[(1,)](np.zeros(1, np.float32))

    def test_profiler(self):
        import triton.profiler as proton

        with self.assertWarnsRegex(RuntimeWarning, "Nereid has no profiler"):
            proton.start("name", hook="triton")
        proton.enter_scope("a")
        proton.exit_scope("a")
        with proton.scope("b", metrics={"flops": 1}), proton.state("c"):
            pass
        proton.finalize()


class Meanings(unittest.TestCase):

    def test_min_dot_size(self):
        from triton.backends.nvidia.compiler import min_dot_size

        ask = min_dot_size(triton.backends.compiler.GPUTarget("cuda", 90, 32))
        self.assertEqual((ask(tl.float16, tl.float16), ask(tl.int8, tl.int8)), ((1, 1, 16), (1, 1, 32)))

    def test_tools_of_cuda(self):
        from triton.backends.nvidia.compiler import get_ptxas
        from triton.tools.disasm import extract, get_sass

        with tempfile.TemporaryDirectory() as directory, triton.knobs.nvidia.scope():
            for name in ("ptxas", "cuobjdump"):
                path = os.path.join(directory, name)
                with open(path, "w") as file:
                    file.write('#!/bin/sh\necho "release 13.2, $@"\n')
                os.chmod(path, 0o755)
                setattr(triton.knobs.nvidia, name, triton.knobs.NvidiaTool(path))
            self.assertEqual(get_ptxas(90).version, "13.2")
            self.assertIn("-sass -fun kernel_f file", extract("file", "kernel_f"))
            self.assertIn("-sass", get_sass(b"code"))
            triton.knobs.nvidia.cuobjdump = None
            with self.assertRaisesRegex(NotSupported, "TRITON_CUOBJDUMP_PATH"):
                get_sass(b"code")

    def test_specialization(self):
        from triton.runtime.jit import compute_cache_key, native_specialize_impl, serialize_specialization_data

        def of(*arguments):
            return native_specialize_impl(triton.backends.BaseBackend, *arguments)

        self.assertEqual((of(1), of(16), of(17), of(2**40)), (("constexpr", 1), ("i32", "D"), ("i32", None),
                                                              ("i64", "D")))
        self.assertEqual((of(1, False, False), of(16, False, True, False)), (("i32", None), ("i32", None)))
        self.assertEqual((of(None), of(True), of(1.5)), (("constexpr", None), ("u1", None), ("fp32", None)))
        self.assertEqual(of((3, (16, 1.0))), (("i32", ("i32", "fp32")), (None, ("D", None))))
        tensor = types.SimpleNamespace(dtype="float16", data_ptr=lambda: 4096)
        self.assertEqual((of(tensor), of(tensor, True)), (("*fp16", "D"), ("*kfp16", "D")))
        kept = {}
        key = compute_cache_key(kept, [("i32", "D"), ("constexpr", copy_group)], {"num_warps": 4})
        self.assertIn(copy_group.cache_key, key)
        self.assertEqual(list(kept.values()), [key])
        text = serialize_specialization_data("f", {"x": "i32"}, {(1,): tl.float32, (2,): tl.constexpr(3)}, {},
                                             types.SimpleNamespace(num_warps=4), "key")
        self.assertEqual(json.loads(text)["constant_vals"], ["fp32", {"constexpr": 3}])

    def test_expand_signature(self):
        from triton.backends.driver import expand_signature

        from triton.runtime.jit import native_specialize_impl

        array = np.zeros((4, 16), np.float32)
        known = [native_specialize_impl(None, nereid.TensorDescriptor.from_tensor(array, [4, 16], padding=padding))
                 for padding in ("zero", "nan")]
        self.assertEqual([kind for kind, _ in known], ["tensordesc<fp32[4, 16]>"] * 2)
        self.assertNotEqual(*known)
        kind = "tensordesc<fp16[64, 32]>"
        tail = ["i32"] * 2 + ["i64"] * 2
        self.assertEqual(expand_signature(["i32", kind], None, "T"),
                         ["i32", "*fp16", *["i64"] * 4, "i1", "i1", *tail])
        self.assertEqual(expand_signature([("i32", kind)], [{}], "T"), [("i32", "T", *tail)])
        self.assertEqual(expand_signature(["tensordesc_im2col<fp16[8, 8],input_rank=4>"], [{}], "T"),
                         ["T", *["i32"] * 4, *["i64"] * 4])

    def test_block_shapes(self):
        from triton._utils import is_power_of_two, validate_block_shape

        self.assertFalse(is_power_of_two(0))
        self.assertEqual(validate_block_shape([4, 8]), 32)
        for shape in ([0], [4, 0], [3], [-4]):
            with self.assertRaisesRegex(ValueError, "must be a power of 2"):
                validate_block_shape(shape)

    def test_paths(self):
        from triton._utils import find_paths_if, get_iterable_path

        value = (1, ("a", 2), "b")
        paths = find_paths_if(value, lambda path, part: isinstance(part, str))
        self.assertEqual([get_iterable_path(value, path) for path in paths], ["a", "b"])


class Ragged(unittest.TestCase):

    def test_groups(self):
        """Rows of other groups are neither read nor written."""
        source = np.arange(24 * 16, dtype=np.float32).reshape(24, 16)
        for first, count, row in ((0, 5, 0), (5, 9, 4), (14, 10, 8)):
            out = np.full_like(source, -1)
            copy_group[(1,)](descriptor(source), descriptor(out), first, count, row, BLOCK=8)
            want = np.full_like(source, -1)
            want[first + row:first + min(count, row + 8)] = source[first + row:first + min(count, row + 8)] + 1
            np.testing.assert_array_equal(out, want)


class Strided:
    """As PyTorch describes its tensors."""

    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def stride(self, axis=None):
        steps = tuple(step // self.array.itemsize for step in self.array.strides)
        return steps if axis is None else steps[axis]

    def data_ptr(self):
        return self.array.ctypes.data

    def element_size(self):
        return self.array.itemsize


def descriptor(array):
    return ragged_tma.create_ragged_descriptor(Strided(array), [8, 16])


from triton.tools import ragged_tma

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 2, "scripts", "compare_triton_names")


class Comparison(unittest.TestCase):

    def test_script(self):
        with tempfile.TemporaryDirectory() as directory:
            for version, text in (("1", "def jit(): pass\ndef older(): pass\n"),
                                  ("2", "try:\n  def newest(): pass\nexcept ImportError: pass\ndef older(): pass\n")):
                os.makedirs(os.path.join(directory, version, "triton", "tools"))
                with open(os.path.join(directory, version, "triton", "__init__.py"), "w") as file:
                    file.write(text)
                with open(os.path.join(directory, version, "triton", "tools", "unheard_of.py"), "w") as file:
                    file.write("A, _B = 1, 2\n")
            done = subprocess.run([sys.executable, SCRIPT, *(os.path.join(directory, version) for version in "12")],
                                  capture_output=True, text=True)
        self.assertEqual(done.stdout.splitlines(), [
            "1:", "  triton: older", "  triton.tools.unheard_of: (No module named 'triton.tools.unheard_of'), A", "2:",
            "  triton: newest"], done.stderr)


if __name__ == "__main__":
    main()
