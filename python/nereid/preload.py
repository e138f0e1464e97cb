# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compilation as text, so that another process can do it again before it is needed."""

import dataclasses
import json

from . import _native, driver
from .compiled import CompiledKernel, Options, kinds_in, target_of
from .jit import JITCallable, function_of
from .language.dtypes import DTYPES, dtype
from .wording import printable


def _write_constant(value):
    if isinstance(value, dtype):
        return {"dtype": value._name}
    if isinstance(value, JITCallable):
        return {"function": [value.__module__, value.__qualname__], "key": value.cache_key}
    if isinstance(value, (tuple, list)):
        return {"tuple": [_write_constant(element) for element in value]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    return {"text": repr(value)}


def _read_constant(data):
    if "dtype" in data:
        return DTYPES[data["dtype"]]
    if "tuple" in data:
        return tuple(map(_read_constant, data["tuple"]))
    if "function" in data:
        found = function_of(*data["function"])
        if found is None or found.cache_key != data["key"]:
            raise RuntimeError(f"Specialization data is for {printable('.'.join(data['function']))}, which is "
                               f"{'not here' if found is None else 'another function here'}")
        return found
    if "text" in data:
        raise TypeError(f"a constant {printable(data['text'])} has no text to be read from")
    return data["value"]


def describe(compiled):
    """What preload() reads."""
    return json.dumps({
        "name": compiled.fn._fn_name, "key": compiled.fn.cache_key, "signature": compiled.signature,
        "constants": {name: _write_constant(value) for name, value in compiled.constants.items()},
        "tuples": {name: _write_constant(value) for name, value in compiled._tuples.items()},
        "options": {name: value for name, value in compiled.options.given.items() if _is_plain(value)},
        "may_overlap": compiled._may_overlap, "cuda_device": compiled.cuda_device,
        "target": dataclasses.asdict(target_of(compiled.cuda_device))
    })


def _is_plain(value):
    return value is None or isinstance(value, (bool, int, float, str))


def _argument(kernel, kind, value):
    if kind == "constexpr":
        return _native.Argument.constant(kernel._constant(value))
    if kind.startswith("(") and value is not None:
        return _native.Argument.tuple([_argument(kernel, *each) for each in zip(kinds_in(kind), value)])
    return _native.Argument(kind)


def preload(kernel, text):
    data = json.loads(text)
    if data["name"] != kernel._fn_name:
        raise RuntimeError(
            printable(f"Specialization data is for {data['name']} but trying to preload for {kernel._fn_name}"))
    target = dataclasses.asdict(target_of(data["cuda_device"]))
    if data["target"] != target:
        raise RuntimeError(printable(f"Specialization data is for {data['target']} but trying to preload for {target}"))
    constants = {name: _read_constant(value) for name, value in data["constants"].items()}
    constants.update({name: _read_constant(value) for name, value in data["tuples"].items()})
    bound = {name: constants.get(name) for name in data["signature"]}
    arguments = [_argument(kernel, kind, bound[name]) for name, kind in data["signature"].items()]
    options = Options.of(data["options"], kernel)
    key = kernel._kernel_key(arguments, bound, options.given, data["may_overlap"], data["cuda_device"])
    device = driver.device_of(data["cuda_device"], kernel.is_interpreted)
    compiled = CompiledKernel(kernel, arguments, bound, options, data["may_overlap"], device, key, is_ahead=True)
    kernel._keep(key, compiled)
    return compiled
