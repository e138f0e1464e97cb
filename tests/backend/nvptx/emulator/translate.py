# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Translates PTX to Python."""

import re

import bulk
import memory
import ptx
import tensor
import tensor_maps
import wgmma
from instructions import Function


def translate_body(function, body):
    """The function's statements as blocks of a loop over a place in the code, which is a block's number:
    who is at a place goes into each block that is not before it."""
    body = re.sub(r"//[^\n]*", "", body)
    blocks = [[]]
    function.begin(body)
    function.declare(body)
    labels = re.findall(r"(\$\w+):", body)
    function.labels = {label: number for number, label in enumerate(labels, 1)}
    for text in body.split(";"):
        # No statement begins with a brace: those are blocks.
        while match := re.match(r"[\s{}]+|WAIT:|(\$\w+):", text):
            if match[1]:
                blocks.append([])
                function.unfenced.clear()
            text = text[match.end():]
        function.lines = blocks[-1]
        function.statement(text)
    blocks = function.finished(blocks)
    out = beginnings(function, body)
    out += ["  pc, awaited = 0, False", "  while True:"]
    for i, lines in enumerate(blocks):
        if i % GROUP == 0:
            out.append(f"    if pc < {i + GROUP}:")
        out.append(f"      if pc <= {i}:")
        out += ["        " + line for line in lines or ["pass"]]
    return out + ["    raise RuntimeError('the code ends without ret')"]


GROUP = 8  # blocks that are passed at once on the way to one behind them


def beginnings(function, body):
    """Registers begin as anything: masked loads without another value leave them so."""
    out = []
    for kind, name, count in re.findall(r"\.reg \.(\w+)\s+%(\w+)<(\d+)>", body):
        names = [f"{name}{i}" for i in range(int(count))]
        floats = [each for each in names if each in function.floats]
        start = "False" if kind == "pred" else hex(0xCDCDCDCDCDCDCDCD & ((1 << int(kind[1:])) - 1))
        for chosen, value in (([each for each in names if each not in function.floats], start),
                              (floats, f"to_float{kind[1:]}({start})")):
            if chosen:
                out.append("  " + "".join(f"{each} = " for each in chosen) + value)
    return out


def threads_of(text):
    """How many threads a block has along each axis."""
    return tuple(int(n) for n in re.search(r"\.reqntid ([\d, ]+)", text)[1].split(","))


def declared_symbols(text):
    """Memory that functions declare: addresses by name, bytes that a block shares, bytes of each thread."""
    symbols, shared, local = {}, 0, 0
    # An array of one element is a variable.
    for align, width, name, count in re.findall(r"\.shared \.align (\d+) \.[bu](\d+)\s+([\w$]+)(?:\[(\d+)\])?;", text):
        shared = -(-shared // int(align)) * int(align)
        symbols[name] = memory.SHARED + shared
        shared += int(width) // 8 * int(count or 1)
    for name, count in re.findall(r"\.local \.align \d+ \.b8\s+([\w$]+)\[(\d+)\]", text):
        local = -(-int(count) // 16) * 16
        symbols[name] = f"({memory.LOCAL} + tid * {local})"
    return symbols, shared, local


FIRST_PARAMETER = 0x7F0000000000


def translate(text, M):
    """The functions of a PTX module, by name, as (Python function, names of parameters)."""
    symbols = {"shared": memory.SHARED} | declared_symbols(text)[0]
    for width, name, count, data in re.findall(r"\.(?:global|const) [^;=]*?\.b(\d+) (\w+)\[(\d+)\] = \{([^}]*)\}", text):
        size = int(width) // 8
        table = b"".join(int(word, 0).to_bytes(size, "little") for word in data.split(","))
        symbols[name] = M.add(table.ljust(size * int(count), b"\0"))  # zeros at the end are left out
    for number, name in enumerate(re.findall(r"\.param \.align 64 \.b8 (\w+)\[128\]", text)):
        symbols[name] = tensor_maps.FIRST + number * tensor_maps.DISTANCE
    functions, parameters_at = {}, {}

    def call(name, values, M):
        if name == "__assertfail":
            message, file, line, kernel, _ = values
            raise RuntimeError(f"{M.text(file)}:{line}: {M.text(kernel)}: assertion failed: {M.text(message)}")
        function, parameters = functions[name]
        arguments = dict(zip(parameters, values))
        for _ in function(0, (0, 0, 0), (1, 1, 1), arguments, M):
            raise RuntimeError("a function does not meet other threads")
        return arguments["func_retval0"]

    scope = dict(vars(ptx), **M.access_functions(), call=call, PARAMETERS=parameters_at, Product=wgmma.Product,
                 TransactionBarrier=bulk.TransactionBarrier, tensor=tensor)
    pattern = r"(?:\.entry|\.func\s*\([^)]*\))\s+(\w+)\s*\(([^)]*)\)[^{;]*\{\n(.*?)\n\}"
    for name, parameters, body in re.findall(pattern, text, re.S):
        names = re.findall(r"(\w+)\s*(?:,|$)", parameters.strip())
        for parameter in names:  # one whose address is taken is loaded by it alone
            address = symbols.setdefault(parameter, FIRST_PARAMETER + len(parameters_at))
            parameters_at[address] = parameter
        lines = translate_body(Function(name, symbols, threads_of(text)), body)
        source = "\n".join([f"def {name}(tid, ctaid, grid, P, M):", "  if False: yield", *lines])
        exec(compile(source, name, "exec"), scope)
        functions[name] = (scope[name], names)
    return functions
