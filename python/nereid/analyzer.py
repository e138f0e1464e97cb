# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a kernel is slow on a GPU, without one (docs/analyze.md)."""

import json

from .tensors import copied_to_host


class _Page:
    """What a notebook shows, and what is saved: `self.html`."""

    def _repr_html_(self):
        from html import escape

        page, name = escape(self.html), escape(repr(self).strip("<>"))
        return f'<iframe title="{name}" srcdoc="{page}" width="100%" height="800" style="border:0"></iframe>'

    def save(self, path):
        """Writes the page."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)


class Analysis(_Page):
    """What a launch would ask of a GPU. `str()` gives the tables of `nereid analyze`; a notebook shows the page. The
    entries of the document are attributes, too: `analysis.accesses[0]["sectors"]`."""

    def __init__(self, shown, native):
        self.seconds, self.text, document, self.html = shown
        self.document = json.loads(document)
        self._native = native

    def against(self, other):
        """This launch and another one side by side."""
        if not isinstance(other, Analysis):
            raise TypeError(f"an analysis is compared with an analysis, not with {type(other).__name__}")
        return Comparison(*self._native.compare(other._native))

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.document:
            raise AttributeError(f"an analysis has no '{name}'; it has seconds, text, html, document, "
                                 + ", ".join(self.document))
        return self.document[name]

    def __dir__(self):
        return [*super().__dir__(), *self.document]

    def __str__(self):
        return self.text

    def __repr__(self):
        kernel, card = self.document["kernel"], self.document["card"]
        return f"<Analysis of {kernel} on {card}: {self.seconds * 1e6:.1f} us predicted>"


class Comparison(_Page):
    """Two launches side by side: `str()` gives the tables, `differences` the document's rows."""

    def __init__(self, text, document, page):
        self.text, self.html = text, page
        self.document = json.loads(document)

    @property
    def differences(self):
        return self.document["differences"]

    def __str__(self):
        return self.text

    def __repr__(self):
        first, second = (self.document[side]["kernel"] for side in ("first", "second"))
        return f"<Comparison of {first} and {second}>"


def analyzed(function, grid, args, kwargs, target="sm_90a", card="", programs=0, most_accesses=0, l2_dirty=False):
    """As analyze(), of a kernel whose parameters may be called as its options are."""
    args, kwargs = copied_to_host(args, kwargs)
    options = (target, card, programs, most_accesses, l2_dirty)
    return Analysis(*function._dispatcher.analyze(function._native_value(), grid, *options, *args, **kwargs))


def analyze(kernel, grid, *args, target="sm_90a", card="", programs=0, most_accesses=0, l2_dirty=False,
            **kwargs):
    """What `kernel[grid](*args, **kwargs)` would ask of a GPU. Nothing is launched or written; tensors of a GPU are
    copied to the host, since addresses may depend on what they hold. `programs`: how many are run to count; 0: as many
    as take about a second. `most_accesses`: of elements, that a program is followed for, before its loop is taken to have no
    end; 0: about ten seconds' work. `l2_dirty`: the second-level cache holds what was written before, as where it is flushed
    by writes."""
    function = getattr(kernel, "fn", kernel) if not hasattr(kernel, "_dispatcher") else kernel
    if not hasattr(function, "_dispatcher"):
        raise TypeError(f"a kernel (@nereid.jit) is analyzed, not {type(kernel).__name__}")
    return analyzed(function, grid, args, kwargs, target, card, programs, most_accesses, l2_dirty)
