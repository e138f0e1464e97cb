# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results: upstream's interpreter against both of Nereid's executors."""

import pathlib
import random
from dataclasses import replace

import numpy as np

import bounds
from answer import Arrays, Refused
from contest import Comparison, Contest
from explained import VALUES
from isolated import Isolated
from nereid import Nereid, launch
from node import Node
from upstream_values import UpstreamValues
from value_cases import Generator, Output, ValueCase

DEVICES = ["cpu", "check"]


class ValueContest(Contest):
    def __init__(self, seed: int, binary: pathlib.Path, directory: pathlib.Path):
        super().__init__(seed)
        self.upstream = Isolated(UpstreamValues().answer)
        self.nereid = Nereid(binary, directory)

    def make(self, rng: random.Random) -> ValueCase:
        return Generator(rng).case()

    def with_body(self, case: ValueCase, body: Node) -> ValueCase:
        return replace(case, body=body).without_unused()

    def show(self, case: ValueCase) -> str:
        lines = [line for line in case.source().splitlines() if line.strip() != "pass"]
        return "\n".join([*lines, "  nereid run " + " ".join(launch(case))])

    def compare(self, case: ValueCase) -> Comparison:
        upstream = self.upstream.ask(case)
        for device in DEVICES:
            found = differ(case, upstream, self.nereid.values(case, device), device)
            found = found.explained_by(VALUES, case.source())
            if found.kind != "same":
                return found
        return found


def differ(
    case: ValueCase, upstream: Arrays | Refused, nereid: Arrays | Refused, device: str
) -> Comparison:
    """Where the two differ first."""
    refusals = [
        f"refused, {side.reason}" if isinstance(side, Refused) else "results"
        for side in (upstream, nereid)
    ]
    if isinstance(upstream, Refused):
        if isinstance(nereid, Refused):
            return Comparison("refused by both")
        return Comparison(f"different: only {device} accepts", *refusals)
    if isinstance(nereid, Refused):
        return Comparison(f"different: {device} refuses", *refusals)
    for output in case.outputs:
        wanted, got = (tile(case, output, side) for side in (upstream, nereid))
        operands = [tile(case, other, upstream) for other in case.operands_of(output)]
        agrees = bounds.agree(wanted, got, output.rule, operands)
        if not agrees.all():
            at = int(np.argmin(agrees))
            texts = [f"{output.name}[{at}] = {side.flat[at]}" for side in (wanted, got)]
            count = f", {(~agrees).sum()} of {agrees.size} differ"
            kind = f"different: {device}, {output.rule or 'exact'} result"
            return Comparison(kind, texts[0], texts[1] + count)
    return Comparison("same")


def tile(case: ValueCase, output: Output, side: Arrays) -> np.ndarray:
    return side.values[output.name].reshape(case.programs, *output.shape)
