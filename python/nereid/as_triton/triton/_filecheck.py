# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upstream's tests of its front end: whether a kernel compiles can be asked here; what its text in upstream's IR is
cannot, for there is none."""

import functools

from nereid import _native
from nereid.ahead import ASTSource
from nereid.compiled import DEFAULTS
from nereid.errors import NotSupported
from nereid.specialization import native_specialize_impl
from nereid.target import GPUTarget, compiling_for, native_target

stub_target = GPUTarget("cuda", 100, 32)


class ParsedKernel:
    """A kernel in Nereid's tile dialect."""

    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text

    str_nodebug = __str__


def run_parser(kernel_fn, args=(), kwargs={}, target=stub_target):
    """What the front end makes of a kernel for these arguments."""
    bound = kernel_fn.signature.bind(*args, **{name: value for name, value in kwargs.items() if name not in DEFAULTS})
    bound.apply_defaults()
    kinds = {param.name: ("constexpr", bound.arguments[param.name]) if param.is_constexpr else
             native_specialize_impl(None, bound.arguments[param.name]) for param in kernel_fn.params}
    signature = {name: kind for name, (kind, _) in kinds.items()}
    constants = {name: bound.arguments[name] for name, kind in signature.items() if kind == "constexpr"}
    source = ASTSource(kernel_fn, signature, constants)
    with compiling_for(target):
        stages = _native.dump(kernel_fn._native_value(), source.arguments(), "tile", native_target(target),
                              may_overlap=True)
    return ParsedKernel(stages[-1][2])


def run_filecheck(name, module_str, check_template):
    raise NotSupported("triton._filecheck.run_filecheck: its patterns are of Triton's IR, and Nereid has another")


def run_filecheck_test(kernel_fn):
    run_filecheck("placeholder", str(run_parser(kernel_fn)), kernel_fn.src)


def filecheck_test(fn):

    @functools.wraps(fn)
    def test():
        run_filecheck_test(fn)

    return test
