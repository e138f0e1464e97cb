# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times every launch of a program while it runs."""

import os
import statistics
import sys
import threading
import time

from .. import _native, gpu, knobs
from ..errors import NereidError
from .ahead import EventsAhead

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
MOST_PENDING = 512  # events of a GPU that nobody asked yet


def _size_of(value):
    """The bytes of an array; 0 of what is none."""
    try:
        return value.numel() * value.element_size() if hasattr(value, "element_size") else int(value.nbytes)
    except (AttributeError, TypeError):
        return 0


def _site():
    """Where the program launches: (file, line, function)."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    if frame is None:
        return "", 0, ""
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name


def _key_of(value):
    """Equal for launches that ask alike of memory, as far as types and extents tell."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return tuple(value.shape), str(value.dtype)
    return repr(value) if isinstance(value, (int, float, bool, str, type(None))) else type(value).__name__


class Counts:
    """What `nereid.analyze` counts of one launch: bytes that arrays are read and written, the bound, and its page; or
    why it does not."""

    def __init__(self, bytes=None, bound=None, predicted=None, page=None, why_not=None):
        self.bytes, self.bound, self.predicted, self.page, self.why_not = bytes, bound, predicted, page, why_not


class Analyzer:
    """Counts each distinct launch once, as long as that is cheap."""

    PROGRAMS = 64  # that are run to count
    MOST_BYTES = 256 << 20  # of arrays, which may have to be copied

    def __init__(self, seconds, keeps_pages):
        self._known, self._seconds, self._left, self._keeps_pages = {}, seconds, seconds, keeps_pages

    def counts_of(self, kernel, grid, compiled, bound):
        key = (id(kernel), grid, tuple((name, _key_of(value)) for name, value in bound.items()))
        if key not in self._known:
            self._known[key] = self._count(kernel, grid, compiled, bound)
        return self._known[key]

    def _count(self, kernel, grid, compiled, bound):
        if self._seconds <= 0:
            return Counts()  # nobody asked
        if self._left <= 0:
            return Counts(why_not=f"the {self._seconds:.0f} s that counting may take were over")
        if sum(map(_size_of, bound.values())) > self.MOST_BYTES:
            return Counts(why_not=f"its arrays have more than {self.MOST_BYTES >> 20} MiB")
        started = time.perf_counter()
        try:
            return self._analyzed(kernel, grid, compiled, bound)
        except (NereidError, TypeError) as error:  # one of threads, say: then it is not known
            return Counts(why_not=(str(error).splitlines() or ["it was refused"])[0])
        finally:
            self._left -= time.perf_counter() - started

    def _analyzed(self, kernel, grid, compiled, bound):
        from ..analyzer import analyzed

        on_gpu = compiled.cuda_device >= 0
        info = gpu.info(compiled.cuda_device) if on_gpu else None
        target, card = (info.target, info.card) if on_gpu else ("sm_90a", "")
        given = getattr(compiled.options, "given", {})
        tuning = {name: given[name] for name in ("num_warps", "num_stages", "maxnreg") if given.get(name) is not None}
        analysis = analyzed(kernel, grid, (), {**bound, **tuning}, target, card, self.PROGRAMS)
        document, page = analysis.document, analysis.html
        moved = sum(array["read_bytes"] + array["written_bytes"] for array in document["arrays"])
        launch = document["launch"]
        return Counts(moved, launch["bound"] if on_gpu else None, launch["seconds"] if on_gpu else None,
                      page if self._keeps_pages else None)


class Launch:
    """One launch: when it began, and how long it took; seconds from the recorder's beginning on. `is_alone`: that is the
    kernel's time, and not that of the host, for which the GPU waited, as well."""

    __slots__ = ("kernel", "grid", "device", "site", "counts", "begin", "seconds", "is_alone")

    def __init__(self, kernel, grid, device, site):
        self.kernel, self.grid, self.device, self.site = kernel, grid, device, site
        self.counts, self.begin, self.seconds, self.is_alone = Counts(), None, None, True


class Recorder:
    """Watches launches from `start` to `stop`. `kept`: a LaunchFile that gets each distinct one."""

    def __init__(self, analysis_seconds=5.0, keeps_pages=False, kept=None):
        self.launches, self.untimed = [], 0
        self._kept, self._entries = kept, {}
        self._analyzer = Analyzer(analysis_seconds, keeps_pages)
        self._pending, self._first_event, self._ahead = [], {}, {}
        self._lock = threading.Lock()

    def start(self):
        self._started = time.perf_counter()
        knobs.runtime.launch_observers.append(self._observe)
        knobs.runtime._restored()

    def stop(self):
        knobs.runtime.launch_observers.remove(self._observe)
        knobs.runtime._restored()
        with self._lock:
            self._settle(all_of_them=True)
        self.seconds = time.perf_counter() - self._started
        for entry, launches in self._entries.values():
            times = [launch.seconds * 1e3 for launch in launches if launch.seconds is not None]
            if times:
                entry["ms"] = {"nereid": statistics.median(times)}
            elif all(launch.device == "cpu" for launch in launches):
                entry["problem"] = "it failed or was interrupted when it was recorded"

    def _keep(self, kernel, grid, compiled, bound, noted):
        key = (id(compiled), grid, tuple((name, _key_of(value)) for name, value in bound.items()))
        if key not in self._entries:
            self._entries[key] = self._kept.add(kernel, grid, compiled, bound), []
        entry, launches = self._entries[key]
        entry["calls"] += 1
        launches.append(noted)

    def _observe(self, kernel, grid, compiled, bound, launch, stream):
        """Launches, and notes it."""
        device = compiled.cuda_device
        name = getattr(compiled, "name", None) or kernel.__name__
        noted = Launch(name, tuple(_native.grid_extents(grid)), "cpu" if device < 0 else f"cuda:{device}", _site())
        if self._kept is not None:
            self._keep(kernel, noted.grid, compiled, bound, noted)
        if device < 0:
            begin = time.perf_counter()
            launch()
            noted.seconds, noted.begin = time.perf_counter() - begin, begin - self._started
        elif not self._launch_between_events(device, stream, launch, noted):
            self.untimed += 1
        if noted.seconds is not None or device >= 0:
            noted.counts = self._analyzer.counts_of(kernel, noted.grid, compiled, bound)
        with self._lock:
            self.launches.append(noted)
            if len(self._pending) > MOST_PENDING:
                self._settle()

    def _launch_between_events(self, device, handle, launch, noted):
        """False of a stream that is being captured, whose launches take their time later."""
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available() and torch.cuda.is_current_stream_capturing():
            launch()
            return False
        with self._lock:
            if device not in self._ahead:
                self._ahead[device] = EventsAhead(device)
        before, after, noted.is_alone = self._ahead[device].launch(handle, launch)
        with self._lock:
            first, offset = self._first_event.setdefault(device, (before, time.perf_counter() - self._started))
            self._pending.append((noted, self._ahead[device], first, offset, before, after))
        return True

    def _settle(self, all_of_them=False):
        """Asks the events of what has ended how long it took."""
        waiting = []
        for entry in self._pending:
            noted, ahead, first, offset, before, after = entry
            if not all_of_them and not after.is_done():
                waiting.append(entry)
                continue
            try:
                noted.seconds = ahead.seconds_between(before, after)
                noted.begin = offset + (before.milliseconds_since(first) * 1e-3 if before is not first else 0.0)
            except NereidError:  # it failed, and the program was told
                self.untimed += 1
        self._pending = waiting
