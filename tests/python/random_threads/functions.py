# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device functions of two integers: random ones, and some of a few forms that call themselves."""


def random_function(expressions, name):
    draw = expressions.draw

    def of_parameters():
        """An expression of a and b alone."""
        a, b = draw.sample(("a", "b", "c"), 2)
        return draw.choice((f"{a} + {b} * 3", f"({a} ^ {b}) & 1023", f"min({a}, {b}) - 5", f"abs({a}) // 3 + {b}",
                            f"{a} * {b}", f"({a} >> 2) | {b}", f"{a} % 7 - {b}"))

    def condition():
        return draw.choice((f"a < {draw.randrange(12)}", "b & 1", "c > b", "a != c and b > 2", "not c"))

    lines = [f"@cuda.jit(device=True)\ndef {name}(a, b):", f"    c = {draw.choice(('a', 'b', '7'))}"]
    for _ in range(1 + draw.randrange(3)):
        kind = draw.randrange(4)
        if kind == 0:
            lines += [f"    if {condition()}:", f"        return {of_parameters()}"]
        elif kind == 1:
            lines += [f"    for i in range({draw.choice(('a & 7', '3', '1, 9, 2'))}):", f"        c = {of_parameters()} + i",
                      f"        if {condition()}:", f"            {draw.choice(('break', 'continue', 'return c + i'))}",
                      "        b += c & 3"]
        elif kind == 2:
            lines += [f"    if {condition()}:", f"        c = {of_parameters()}", "    else:",
                      f"        b = {of_parameters()}"]
        else:
            lines.append(f"    c = {of_parameters()}")
    return name, "\n".join([*lines, f"    return {of_parameters()}", "", "", ""])


_AGAIN = ("""
    if a < 2:
        return b + a
    return NAME(a - 1, b + 1) + NAME(a - 2, b)
""", """
    total = b
    for i in range(a & 3):
        total += NAME(a // 2 - i - 1, b ^ i) if a > 2 else i
    return total
""", """
    if a <= 0:
        return b & 255
    if a & 1:
        return NAME(a - 1, b) * 3 + 1
    return NAME(a // 2, b + a) - b % 5
""", """
    kept = cuda.local.array(3, int64)
    for i in range(3):
        kept[i] = b + i * a
    if a <= 0:
        return kept[(b & 15) % 3]
    deeper = NAME(a - 3, b ^ 5)
    kept[a % 3] += deeper
    return kept[0] - kept[1] + kept[2]
""")


def recursive_function(draw, name):
    """With a under 8."""
    body = draw.choice(_AGAIN).replace("NAME", name)
    return name, f"@cuda.jit(device=True)\ndef {name}(a, b):{body}\n\n"
