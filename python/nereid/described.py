# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compilation as text, which another process may read (preload.py)."""

import dataclasses
import json

from .gpu import target_of
from .language.dtypes import DTYPES, dtype
from .texts import FunctionText, function_of
from .wording import printable


def _write_constant(value):
    if isinstance(value, dtype):
        return {"dtype": value._name}
    if isinstance(value, FunctionText):
        return {"function": [value.__module__, value.__qualname__], "key": value.cache_key}
    if isinstance(value, (tuple, list)):
        return {"tuple": [_write_constant(element) for element in value]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    return {"text": repr(value)}


def read_constant(data):
    if "dtype" in data:
        return DTYPES[data["dtype"]]
    if "tuple" in data:
        return tuple(map(read_constant, data["tuple"]))
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
