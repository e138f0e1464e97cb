# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operation of JAX's that a call is, and what becomes of it in a program: a call of a handler, whose attributes
hold the compiled kernel."""

import functools
import threading

import jax
import numpy as np
from jax import tree_util
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir, xla

from .. import _native, driver
from .prepare import Prepared
from .stand_ins import Operand, Result, buffers_of, with_buffers

TARGET = "nereid_call"

triton_call_p = Primitive("triton_call")
triton_call_p.multiple_results = True


def _run(*operands, **params):
    return xla.apply_primitive(triton_call_p, *operands, **params)


def _outputs(*operands, call):
    varying = frozenset().union(*(getattr(operand, "vma", ()) for operand in operands))
    facts = {"vma": varying} if varying else {}  # the axes of shard_map along which outputs differ, as inputs do
    return [jax.core.ShapedArray(output.shape, output.dtype, **facts) for output in call.outputs]


def _refuse_derivative(*_, call):
    raise NotImplementedError(f"kernel {call.kernel.__name__} has no derivative: give it one with jax.custom_vjp or "
                              "jax.custom_jvp")


def _refuse_batch(*_, call):
    raise NotImplementedError(f"kernel {call.kernel.__name__} is launched for one call's arrays, so that jax.vmap "
                              "cannot batch it: write it for arrays with one more dimension, and say so with "
                              "jax.custom_batching.custom_vmap, or call it for each element with jax.lax.map")


_lock = threading.Lock()
_registered: set = set()


def register(platform="cpu"):
    """Makes JAX know how calls are run on "cpu" or "cuda". Making a call does so, too: who runs a program that
    jax.export kept needs this."""
    with _lock:
        if platform in _registered:
            return
        jax.devices()  # where there is no back end yet, JAX registers handlers before the types that they have
        handler = _native.xla_handlers(driver.device_of(-1, is_checked=False))[platform]
        name = "CUDA" if platform == "cuda" else platform  # as XLA calls it
        jax.ffi.register_ffi_type(f"{TARGET}_{platform}", handler["type"], platform=name)
        jax.ffi.register_ffi_target(TARGET, handler["stages"], platform=name)
        _registered.add(platform)


def _marks(call):
    """The Operands and Results of a call by their paths: those of elements of tuples are "pair.0"."""
    found = {}
    for name, value in call.arguments.items():
        for path, leaf in tree_util.tree_leaves_with_path(value):
            if isinstance(leaf, (Operand, Result)):
                found[".".join([name, *(str(key.idx) for key in path)])] = leaf
    return found


def _lower(platform, ctx, *operands, call):
    register(platform)
    buffers = buffers_of(ctx.avals_in, ctx.avals_out)
    prepared = Prepared(call.kernel, with_buffers(call.arguments, buffers), call.options, call.grid, platform)
    marks = _marks(call)
    # An aliased output has a parameter of its own, or else its argument's is the output's.
    in_place = {Operand(operand): Result(output) for operand, output in call.aliases
                if Result(output) not in marks.values()}
    prepared.require_unwritten([path for path, mark in marks.items()
                                if isinstance(mark, Operand) and mark not in in_place])
    zeroed = prepared.numbers_of_outputs(call.zeroed, len(ctx.avals_out))
    ctx, operands, aliases = _with_zeros(ctx, operands, dict(call.aliases), zeroed)

    def place(mark):
        mark = in_place.get(mark, mark)
        return mark.number if isinstance(mark, Operand) else len(operands) + mark.number

    attributes = prepared.attributes({buffer.number: place(mark) for mark, buffer in buffers.items()},
                                     may_overlap=len(in_place) < len(call.aliases))
    rule = jax.ffi.ffi_lowering(TARGET, operand_output_aliases=aliases, has_side_effect=call.has_side_effect)
    return rule(ctx, *operands, **attributes)


def _with_zeros(ctx, operands, aliases, zeroed):
    """Zeros are operands, whose memory becomes that of the outputs: XLA knows best how to make them."""
    operands, avals = list(operands), list(ctx.avals_in)
    for output in zeroed:
        aval = ctx.avals_out[output]
        zeros = mlir.ir_constant(np.broadcast_to(np.zeros((), aval.dtype), aval.shape))
        place = next((operand for operand, aliased in aliases.items() if aliased == output), None)
        if place is not None:
            operands[place] = zeros
            continue
        aliases[len(operands)] = output
        operands.append(zeros)
        avals.append(aval)
    return ctx.replace(avals_in=avals), operands, aliases


triton_call_p.def_impl(_run)
triton_call_p.def_abstract_eval(_outputs)
ad.primitive_jvps[triton_call_p] = _refuse_derivative
batching.primitive_batchers[triton_call_p] = _refuse_batch
for _platform in ("cpu", "cuda"):
    mlir.register_lowering(triton_call_p, functools.partial(_lower, _platform), platform=_platform)
