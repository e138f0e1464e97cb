#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""exchanges_as_dumped.py JSON TEXT: says of each exchange in an analysis whether the dump of layouts has the same lines of cost
at the same line of the kernel, and whether each element is held by someone before and after."""

import json
import sys
from functools import reduce

with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    dumped = [line.removeprefix("//").strip() for line in file]


def said_at(line):
    """The lines of each entry of the dump that is of a line of the kernel."""
    for number, text in enumerate(dumped):
        if text.startswith(f"line {line}: "):
            yield [text.split(": ", 2)[2], *dumped[number + 1:number + 4]]


def number_of_elements(bases):
    add = lambda a, b: tuple(x ^ y for x, y in zip(a, b))
    zero = (0, ) * len(bases[0])
    return len(reduce(lambda known, basis: known | {add(at, tuple(basis)) for at in known}, bases, {zero}))


for exchange in document["exchanges"]:
    cost = exchange["cost"]
    if not any(entry[:len(cost)] == cost for entry in said_at(exchange["place"]["line"])):
        sys.exit(f"not as dumped: {exchange['place']} {cost}")
    for side, bases in ((side, sum((exchange[side][name] for name in ("register", "lane", "warp")), []))
                        for side in ("before", "after") if side in exchange):
        if number_of_elements(bases) != reduce(lambda a, b: a * b, exchange[side]["shape"]):
            sys.exit(f"elements without a holder: {exchange['place']} {side}")
    print(f"{exchange['kind']} {exchange['what']} {exchange['through']}: as dumped")
