# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Translates PTX to Python."""

import re

import ptx
from instructions import Function


def translate_body(function, body):
    """The function's statements as blocks of a loop over a place in the code."""
    body = re.sub(r"//[^\n]*", "", body)
    out, blocks = [], [("", [])]
    for text in body.split(";"):
        # No statement begins with a brace: those are blocks.
        while match := re.match(r"[\s{}]+|(\$\w+):", text):
            if match[1]:
                blocks.append((match[1], []))
            text = text[match.end():]
        function.lines = blocks[-1][1]
        function.statement(text)
    for i, (label, lines) in enumerate(blocks):
        out.append(f"    if pc == {label!r}:")
        out += ["      " + line for line in lines]
        following = blocks[i + 1][0] if i + 1 < len(blocks) else None
        out.append(f"      pc = {following!r}")
    return out


def translate(text, memory):
    """The functions of a PTX module, by name, as (Python function, names of parameters)."""
    symbols = {"shared": ptx.SHARED}
    for name, size, data in re.findall(r"\.global [^;=]*?\.b8 (\w+)\[(\d+)\] = \{([^}]*)\}", text):
        symbols[name] = memory.add(bytes(int(b) for b in data.split(",")))
    for kind, name, size, data in re.findall(r"\.global [^;=]*?\.b(32|64) (\w+)\[(\d+)\] = \{([^}]*)\}", text):
        words = [int(w, 0) for w in data.split(",")]
        symbols[name] = memory.add(b"".join(w.to_bytes(int(kind) // 8, "little") for w in words))
    functions = {}

    def call(name, values, M):
        function, parameters = functions[name]
        arguments = dict(zip(parameters, values))
        for _ in function(0, (0, 0, 0), (1, 1, 1), arguments, M):
            raise RuntimeError("a function does not meet other threads")
        return arguments["func_retval0"]

    scope = dict(vars(ptx), call=call)
    pattern = r"(?:\.entry|\.func\s*\([^)]*\))\s+(\w+)\s*\(([^)]*)\)[^{;]*\{\n(.*?)\n\}"
    for name, parameters, body in re.findall(pattern, text, re.S):
        names = re.findall(r"(\w+)\s*(?:,|$)", parameters.strip())
        lines = translate_body(Function(name, symbols), body)
        source = "\n".join([f"def {name}(tid, ctaid, grid, P, M):", "  if False: yield",
                            "  pc = ''", "  while True:", *lines])
        exec(compile(source, name, "exec"), scope)
        functions[name] = (scope[name], names)
    return functions
