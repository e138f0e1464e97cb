# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One case after the other: made, answered by both sides, compared, made small if they differ."""

import abc
import collections
import random
import re
from dataclasses import dataclass
from typing import Any

from node import Node, shrink


@dataclass(frozen=True)
class Explanation:
    """A known difference: where all three patterns are found, `why` holds."""

    why: str
    upstream: str = ""
    nereid: str = ""
    source: str = ""

    def holds(self, source: str, upstream: str, nereid: str) -> bool:
        pairs = ((self.upstream, upstream), (self.nereid, nereid), (self.source, source))
        return all(re.search(pattern, text) for pattern, text in pairs)


@dataclass(frozen=True)
class Comparison:
    """A kind of ending: "same", "refused by both", "different: ..." or "explained: ..."."""

    kind: str
    upstream: str = ""
    nereid: str = ""

    @property
    def is_different(self) -> bool:
        return self.kind.startswith("different")

    def explained_by(self, table: list[Explanation], source: str) -> "Comparison":
        for explanation in table:
            if explanation.holds(source, self.upstream, self.nereid):
                return Comparison(f"explained: {explanation.why}", self.upstream, self.nereid)
        return self


@dataclass(frozen=True)
class Outcome:
    index: int
    kind: str
    # A case that reproduces a difference, with both answers.
    report: str = ""


class Contest(abc.ABC):
    """Cases are told apart by seed and index alone."""

    # Of a kind, so many differences are made small: that takes many runs.
    SHRUNK = 10

    def __init__(self, seed: int):
        self.seed = seed
        self.shrunk: collections.Counter[str] = collections.Counter()

    @abc.abstractmethod
    def make(self, rng: random.Random) -> Any: ...

    @abc.abstractmethod
    def with_body(self, case: Any, body: Node) -> Any: ...

    @abc.abstractmethod
    def compare(self, case: Any) -> Comparison: ...

    @abc.abstractmethod
    def show(self, case: Any) -> str: ...

    def judge(self, index: int) -> Outcome:
        case = self.make(random.Random(f"{self.seed} {index}"))
        found = self.compare(case)
        if not found.is_different:
            return Outcome(index, found.kind)
        self.shrunk[found.kind] += 1
        if self.shrunk[found.kind] <= self.SHRUNK:

            def still_differs(body: Node) -> bool:
                return self.compare(self.with_body(case, body)).kind == found.kind

            case = self.with_body(case, shrink(case.body, still_differs))
            found = self.compare(case)
        answers = f"  upstream: {found.upstream}\n  nereid:   {found.nereid}\n"
        return Outcome(index, found.kind, f"{self.show(case)}\n{answers}")
