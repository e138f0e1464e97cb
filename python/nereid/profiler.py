# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a kernel's time goes on the GPU or CPU at hand (docs/profile.md)."""

import json

from . import driver, gpu
from .analyzer import _Page


class Profile(_Page):
    """What one launch's warps did when, or where a CPU's threads stood, and what it cost to know. `str()` gives the tables
    of `nereid profile`; a notebook shows the page. Entries of the document are attributes, too: `profile.lines[0]["share"]`."""

    def __init__(self, seconds, profiled_seconds, text, document, trace, page):
        self.seconds, self.profiled_seconds, self.text, self.trace, self.html = seconds, profiled_seconds, text, trace, page
        self.document = json.loads(document)

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.document:
            raise AttributeError(f"a profile has no '{name}'; it has seconds, profiled_seconds, text, trace, html, document, "
                                 + ", ".join(self.document))
        return self.document[name]

    def __dir__(self):
        return [*super().__dir__(), *self.document]

    def __str__(self):
        return self.text

    def __repr__(self):
        kernel, device = self.document["kernel"], self.document["device"]
        return f"<Profile of {kernel} on {device}: {self.seconds * 1e6:.1f} us>"

    def save_trace(self, path):
        """Writes what Perfetto (ui.perfetto.dev) and chrome://tracing open. Of GPUs alone."""
        if self.document["threads"]:
            raise ValueError("traces are of GPUs, whose warps note when they did what; of a CPU it is known where threads "
                             "stood, and not when")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.trace)


def profile(kernel, grid, *args, detail="auto", turns=15, **kwargs):
    """Where the time of `kernel[grid](*args, **kwargs)` goes on the GPU that the arrays lie on, or the CPU. Launches the kernel
    2 * turns + 3 times or more, with clocks and without by turns: arrays hold afterwards what so many launches leave.
    `detail`: "all" that warps do, "waits", "rounds", "programs", or "auto": the first of these that costs no more than 5 %."""
    function = getattr(kernel, "fn", kernel) if not hasattr(kernel, "_dispatcher") else kernel
    if not hasattr(function, "_dispatcher"):
        raise TypeError(f"a kernel (@nereid.jit) is profiled, not {type(kernel).__name__}")
    gpu.synchronize()  # another stream may be filling the arrays
    return Profile(*function._dispatcher.profile(function._native_value(),
                                                 lambda cuda_device: driver.device_of(cuda_device, False), grid, detail,
                                                 turns, *args, **kwargs))
