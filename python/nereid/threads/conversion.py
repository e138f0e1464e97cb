# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the device that were given a signature: arguments and results have its types, whatever they were."""

import inspect

from .. import _native
from .signatures import scalar_dtype


def converting(callee, function, result, kinds):
    """A function that calls another with arguments of these kinds and gives a result of that; or the other itself,
    where there is nothing to convert, or no telling which argument is whose."""
    parameters = list(callee.signature.parameters.values())
    names = {"_callee": function}
    if len(parameters) != len(kinds) or any(each.default is not inspect.Parameter.empty or each.kind not in (
            inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY) for each in parameters):
        return function

    def converted(text, kind, name):
        found = scalar_dtype(kind)
        if not found:
            return text
        names[name] = _native.ElementType(found)
        return f"{name}({text})"

    arguments = [converted(each.name, kind, f"_type{number}")
                 for number, (each, kind) in enumerate(zip(parameters, kinds))]
    call = converted(f"_callee({', '.join(arguments)})", result, "_result")
    if len(names) == 1:
        return function
    head = f"def {callee.__name__}({', '.join(each.name for each in parameters)}):"
    source = callee._source
    made = _native.Function(f"@cuda.jit\n{head}\n    return {call}", "", source.file, source.first_line - 1)
    made.explain(names, {})
    return made
