# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernel text as a tree, so that a case that differs can be made smaller."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Node:
    """Text with {0}, {1}, ... where the parts go. Nodes of one sort may replace each other."""

    form: str
    parts: tuple["Node", ...] = ()
    sort: object = None

    def text(self) -> str:
        return self.form.format(*(part.text() for part in self.parts))


NOTHING = Node("pass", sort="statement")


def smaller(node: Node) -> Iterator[Node]:
    """Trees with one subtree replaced by one of its own; the largest cuts come first."""
    if node.sort == "statement" and node != NOTHING:
        yield NOTHING
    yield from (below for below in descendants(node) if below.sort == node.sort)
    for i, part in enumerate(node.parts):
        for candidate in smaller(part):
            yield replace(node, parts=(*node.parts[:i], candidate, *node.parts[i + 1 :]))


def descendants(node: Node) -> Iterator[Node]:
    for part in node.parts:
        yield part
    for part in node.parts:
        yield from descendants(part)


def shrink(root: Node, differs: Callable[[Node], bool], budget: int = 100) -> Node:
    """The smallest tree found that still differs. The root's own form stays."""
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for candidate in smaller(root):
            if candidate.form != root.form:
                continue
            budget -= 1
            if budget < 0:
                return root
            if differs(candidate):
                root, is_smaller = candidate, True
                break
    return root
