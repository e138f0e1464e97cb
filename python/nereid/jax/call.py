# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton_call: from what a program says to an operation of JAX's."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import tree_util

from ..autotune import Autotuner, Heuristics
from ..compiled import DEFAULTS
from ..jit import JITFunction, textual
from ..tensor_descriptor import TensorDescriptor
from .prepare import Prepared
from .primitive import triton_call_p
from .stand_ins import Operand, Result, buffers_of, with_buffers

# What says something to Triton or to JAX's profiler alone.
_WITHOUT_MEANING = ("compute_capability", "cost_estimate", "custom_call_target_name", "serialized_metadata")


@dataclasses.dataclass(frozen=True)
class Call:
    """All of a call but its arrays. JAX compiles once for calls that are equal."""
    kernel: Any
    outputs: tuple  # their shapes and dtypes
    grid: Any
    aliases: tuple  # pairs of operand and output
    zeroed: Any
    has_side_effect: bool
    texts: tuple  # of the function's text and of what follows: 1 and 1.0 are equal in Python and not to a compiler
    arguments: dict = dataclasses.field(compare=False)
    options: dict = dataclasses.field(compare=False)


def triton_call(*args: Any, kernel: Any, grid: Any, out_shape: Any = None, out_type: Any = None, name: str = "",
                num_warps: int | None = None, num_stages: int | None = None, num_ctas: int | None = None,
                input_output_aliases: Mapping[int, int] | None = None,
                zeroed_outputs: Sequence[int] | Callable[[dict[str, Any]], Sequence[int]] = (), debug: bool = False,
                has_side_effect: bool = False, backend_options: Mapping[str, Any] | None = None,
                **metaparams: Any) -> Any:
    """Launches a kernel on arrays of JAX's, also while a program is traced, and gives its outputs, which are as
    `out_shape` (or `out_type`) says: one object with `shape` and `dtype`, or a tree of them.

    `args` are arrays and numbers, in the order of the kernel's parameters; outputs are those parameters that are left.
    Numbers are constants of the program. `metaparams` are arguments by name and options of the launch. A grid that is a
    function gets all arguments by name. `input_output_aliases` has the numbers of arguments, constants left out, whose
    arrays become outputs; `zeroed_outputs` those of outputs, or is a function like the grid."""
    function = _function_of(kernel)
    options = {"num_warps": num_warps, "num_stages": num_stages, "num_ctas": num_ctas, "debug": debug or None,
               **(backend_options or {})}
    options = {key: value for key, value in options.items() if value is not None}
    outputs, tree = _outputs(function, out_type if out_shape is None else out_shape)
    given = {key: value for key, value in metaparams.items() if key not in _WITHOUT_MEANING}
    options |= {key: given.pop(key) for key in list(given) if key in DEFAULTS and key not in function.arg_names}
    arguments = _Arguments(function, args, given)
    aliases = arguments.place_outputs(outputs, dict(input_output_aliases or {}))
    if not _is_tuned(kernel):  # what functions say is known now; JAX would take another lambda for another program
        buffers = buffers_of(arguments.operands, outputs)
        prepared = Prepared(kernel, with_buffers(arguments.values, buffers), options, grid, platform="cpu")
        grid, zeroed_outputs = prepared.grid, prepared.numbers_of_outputs(zeroed_outputs, len(outputs))
    call = Call(kernel, outputs, _hashable(grid), aliases, _hashable(zeroed_outputs), has_side_effect,
                (function.cache_key, *_texts(arguments.values), *_texts(options)), arguments.values, options)
    return tree_util.tree_unflatten(tree, triton_call_p.bind(*arguments.operands, call=call))


def _hashable(value):
    return tuple(value) if isinstance(value, list) else value


def _texts(values):
    return tuple((key, textual(value)) for key, value in values.items())


def _function_of(kernel):
    """The function inside what decorators made of it."""
    function = kernel
    while isinstance(function, (Autotuner, Heuristics)):
        function = function.fn
    if not isinstance(function, JITFunction):
        raise TypeError("the kernel of triton_call is a function decorated with @jit, also with @autotune or "
                        f"@heuristics, and not a {type(function).__name__}")
    return function


def _is_tuned(kernel):
    return isinstance(kernel, Autotuner) or isinstance(kernel, Heuristics) and _is_tuned(kernel.fn)


def _require_known_type(dtype, what):
    """JAX makes 32 bits of 64 unless it is told not to, and a kernel is written for one of them."""
    kept = jax.dtypes.canonicalize_dtype(dtype)
    if kept != dtype:
        raise TypeError(f"{what} is of {dtype}, which JAX makes {kept} unless jax_enable_x64 is set")


def _outputs(function, given):
    if given is None:
        raise TypeError(f"triton_call of kernel {function.__name__} needs out_shape, which says what its outputs are")
    leaves, tree = tree_util.tree_flatten(given)
    for number, leaf in enumerate(leaves):
        if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
            raise TypeError(f"out_shape has a {type(leaf).__name__} where an object with shape and dtype belongs, as "
                            "jax.ShapeDtypeStruct is")
        _require_known_type(np.dtype(leaf.dtype), f"output {number} of kernel {function.__name__}")
    return tuple(jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in leaves), tree


class _Arguments:
    """The arguments of a call by name: Operands and Results for arrays, and constants. `operands` are the arrays."""

    def __init__(self, function, args, named):
        self.operands, self._function, self._kernel = [], function, f"kernel {function.__name__}"
        self._leaves = []  # of each argument that is no constexpr the Operand, or None: of a tuple each element
        names = function.arg_names
        if len(args) > len(names):
            raise TypeError(f"{self._kernel} has {len(names)} parameters, and {len(args)} arguments were given")
        for name in named:
            if name not in names:
                raise TypeError(f"{self._kernel} has no parameter '{name}', and no launch an option of that name; its "
                                f"parameters are {', '.join(names)}")
            if name in names[:len(args)]:
                raise TypeError(f"{self._kernel} got two values for '{name}'")
        given = {**dict(zip(names, args)), **named}
        self.values = {param.name: self._placed(param, given[param.name]) for param in function.params
                       if param.name in given}

    def _placed(self, param, value):
        if param.is_constexpr:
            if isinstance(value, (jax.Array, np.ndarray)):
                raise TypeError(f"'{param.name}' of {self._kernel} is a tl.constexpr, and an array was given for it")
            return value
        return tree_util.tree_map(lambda leaf: self._leaf(param.name, leaf), value,
                                  is_leaf=lambda leaf: isinstance(leaf, TensorDescriptor))

    def _leaf(self, name, value):
        if isinstance(value, TensorDescriptor):
            raise TypeError(f"'{name}' of {self._kernel} is a tensor descriptor, which holds an address, and a "
                            "program's arrays have none yet: tl.make_tensor_descriptor makes it in the kernel")
        if not isinstance(value, (jax.Array, np.ndarray)):
            self._leaves.append(None)
            return value
        if isinstance(value, np.ndarray):
            _require_known_type(value.dtype, f"argument '{name}' of {self._kernel}")
            value = jax.numpy.asarray(value)
        self.operands.append(value)
        self._leaves.append(Operand(len(self.operands) - 1))
        return self._leaves[-1]

    def place_outputs(self, outputs, aliases):
        """Gives the parameters that are left to the outputs; the pairs of operand and output that share memory."""
        function = self._function
        pairs = {output: self._aliased(number, output, outputs) for number, output in aliases.items()}
        if len(pairs) < len(aliases):
            raise ValueError("input_output_aliases gives two arguments to one output")
        left = [param.name for param in function.params
                if param.name not in self.values and not param.is_constexpr and not param.has_default]
        numbers = [number for number in range(len(outputs)) if number not in pairs or len(left) == len(outputs)]
        if len(left) != len(numbers):
            raise TypeError(f"the arguments of {self._kernel} leave {len(left)} of its parameters "
                            f"({', '.join(left) or 'none'}) to {len(numbers)} outputs")
        self.values |= {name: Result(number) for name, number in zip(left, numbers)}
        return tuple(sorted((operand.number, output) for output, operand in pairs.items()))

    def _aliased(self, number, output, outputs):
        operand = self._leaves[number] if number in range(len(self._leaves)) else None
        if operand is None:
            raise ValueError(f"input_output_aliases has argument {number}, which is no array")
        if output not in range(len(outputs)):
            raise ValueError(f"input_output_aliases has output {output}, and there are {len(outputs)}")
        array, result = self.operands[operand.number], outputs[output]
        if (array.shape, array.dtype) != (result.shape, result.dtype):
            raise ValueError(f"argument {number} is {array.dtype}{list(array.shape)} and output {output} "
                             f"{result.dtype}{list(result.shape)}: what shares memory is alike")
        return operand
