# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types found by upstream's compiler front end. Needs no GPU: it stops at Triton IR."""

import contextlib
import io
import warnings

import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.code_generator import ast_to_ttir
from triton.compiler.compiler import ASTSource, make_backend

from answer import Refused, Types, describe_constant
from type_cases import PRELUDE, TypeCase
from upstream import load_text, reason

# Signature types as upstream spells them, where that differs from ours.
SIGNATURE_NAMES = {"f16": "fp16", "f32": "fp32", "f64": "fp64", "i1": "u1"}

DTYPE_NAMES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}


class UpstreamTypes:
    def __init__(self) -> None:
        # A deprecation is no refusal.
        warnings.simplefilter("ignore")
        self.backend = make_backend(GPUTarget("cuda", 90, 32))
        self.options = self.backend.parse_options({})
        self.generators = self.backend.get_codegen_implementation(self.options)
        self.reports: dict[int, tuple[str, ...]] = {}
        self.module = load_text("prelude", PRELUDE, {"report": self.make_report()})

    def make_report(self):
        @tl.core.builtin
        def report(index, *values, _semantic=None):
            self.reports[index.value] = tuple(describe(value) for value in values)

        return report

    def answer(self, case: TypeCase) -> Types | Refused:
        self.reports.clear()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                self.compile(case)
        except Exception as error:
            return Refused(reason(error))
        return Types(dict(self.reports))

    def compile(self, case: TypeCase) -> None:
        kernel = load_text("case", case.source(), vars(self.module)).kernel
        signature, constants = {}, {}
        for parameter in case.parameters():
            if parameter.kind == "c":
                signature[parameter.name] = "constexpr"
                constants[parameter.name] = eval(parameter.what)
            else:
                name = SIGNATURE_NAMES.get(parameter.what, parameter.what)
                signature[parameter.name] = ("*" if parameter.kind == "p" else "") + name
        context = ir.context()
        ir.load_dialects(context)
        self.backend.load_dialects(context)
        ast_to_ttir(
            kernel,
            ASTSource(kernel, signature, constants),
            context=context,
            options=self.options,
            codegen_fns=self.generators,
            module_map=self.backend.get_module_map(),
        )


def describe(value: object) -> str:
    """In the words of Nereid's static_print."""
    if isinstance(value, tl.constexpr):
        return describe(value.value)
    if isinstance(value, tl.dtype):
        return describe_dtype(value)
    if isinstance(value, tl.tensor):
        text = describe_dtype(value.type.scalar)
        if not value.type.is_block():
            return text
        shape = tuple(int(extent) for extent in value.type.shape)
        return f"{text} tile of shape {shape}"
    if isinstance(value, tl.tuple):
        return f"a tuple of {len(value.values)}"
    return describe_constant(value)


def describe_dtype(dtype: tl.dtype) -> str:
    if isinstance(dtype, tl.pointer_type):
        return "pointer to " + describe_dtype(dtype.element_ty)
    return DTYPE_NAMES.get(dtype.name, dtype.name)
