# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Result types: upstream's compiler front end against Nereid's."""

import pathlib
import random

from answer import Refused, Types
from contest import Comparison, Contest
from explained import TYPES
from isolated import Isolated
from nereid import Nereid
from node import Node
from type_cases import Generator, TypeCase
from upstream_types import UpstreamTypes


class TypeContest(Contest):
    def __init__(self, seed: int, binary: pathlib.Path, directory: pathlib.Path):
        super().__init__(seed)
        self.upstream = Isolated(UpstreamTypes().answer)
        self.nereid = Nereid(binary, directory)

    def make(self, rng: random.Random) -> TypeCase:
        return Generator(rng).case()

    def with_body(self, case: TypeCase, body: Node) -> TypeCase:
        return TypeCase(body)

    def show(self, case: TypeCase) -> str:
        return case.source()

    def compare(self, case: TypeCase) -> Comparison:
        upstream, nereid = self.upstream.ask(case), self.nereid.types(case)
        if isinstance(upstream, Refused) and isinstance(nereid, Refused):
            return Comparison("refused by both")
        if upstream == nereid:
            return Comparison("same")
        if isinstance(upstream, Refused):
            kind = "only Nereid accepts"
        elif isinstance(nereid, Refused):
            kind = "only upstream accepts"
        else:
            kind = "types"
        found = Comparison(f"different: {kind}", show(upstream), show(nereid))
        return found.explained_by(TYPES, case.source())


def show(answer: Types | Refused) -> str:
    if isinstance(answer, Refused):
        return f"refused, {answer.reason}"
    return "; ".join(f"{index}: {', '.join(types)}" for index, types in answer.reports.items())
