# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program launched: as tables, as a document, and as a trace that Perfetto opens."""

import os
from collections import defaultdict

from ..wording import printable


def _time(seconds):
    for unit in ("s", "ms", "us"):
        if seconds >= 1 or unit == "us":
            return f"{seconds:.1f} {unit}"
        seconds *= 1000


def _bytes(count):
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:.1f} {unit}" if unit != "B" else f"{count:.0f} B"
        count /= 1000


class Group:
    """Launches that have something in common."""

    def __init__(self):
        self.launches = []

    @property
    def timed(self):
        return [launch for launch in self.launches if launch.seconds is not None]

    @property
    def seconds(self):
        return sum(launch.seconds for launch in self.timed)

    @property
    def mean(self):
        return self.seconds / len(self.timed) if self.timed else 0.0

    @property
    def bytes(self):
        """Of all launches; None if those of one are not known."""
        counts = [launch.counts.bytes for launch in self.timed]
        return sum(counts) if counts and None not in counts else None

    @property
    def rate(self):
        """Bytes a second."""
        return self.bytes / self.seconds if self.bytes is not None and self.seconds > 0 else None

    @property
    def bounds(self):
        return sorted({launch.counts.bound for launch in self.timed if launch.counts.bound})

    @property
    def predicted(self):
        """Mean seconds of a launch as nereid.analyze has them; None if one is not known."""
        known = [launch.counts.predicted for launch in self.timed]
        return sum(known) / len(known) if known and None not in known else None


def grouped(launches, key):
    """The heaviest group first."""
    groups = defaultdict(Group)
    for launch in launches:
        groups[key(launch)].launches.append(launch)
    return sorted(groups.items(), key=lambda item: -item[1].seconds)


def site_text(site):
    file, line, function = site
    return f"{os.path.basename(file)}:{line} in {function}" if file else "outside of the program"


def as_text(recorder, color=False):
    """A table of kernels, and below each where it is launched."""
    if not recorder.launches:
        return "no kernel of Nereid was launched\n"
    total = sum(launch.seconds or 0 for launch in recorder.launches)
    count = len(recorder.launches)
    lines = [f"{count} launch{'es' * (count != 1)} took {_time(total)} of the program's {_time(recorder.seconds)}"]
    if recorder.untimed:
        lines.append(f"{recorder.untimed} of them are not timed: they were recorded into graphs, or failed")
    held = sum(not launch.is_alone for launch in recorder.launches if launch.seconds is not None)
    if held:
        lines.append(f"{held} of them were given to the GPU too late: what they took holds the GPU's wait for the program")
    lines += ["", f"{'launches':>9} {'total':>10} {'share':>7} {'mean':>10} {'bytes each':>11} {'rate':>12}  kernel"]
    for (kernel, device), group in grouped(recorder.launches, lambda launch: (launch.kernel, launch.device)):
        lines += _rows_of(kernel, device, group, total, color)
    lines += _uncounted(recorder.launches)
    return "\n".join(lines) + "\n"


def _row(group, total, text):
    each = _bytes(group.bytes / len(group.timed)) if group.bytes is not None else ""
    rate = f"{_bytes(group.rate)}/s" if group.rate is not None else ""
    share = f"{100 * group.seconds / total:.1f} %" if total > 0 else ""
    return (f"{len(group.launches):>9} {_time(group.seconds):>10} {share:>7} {_time(group.mean):>10} {each:>11} "
            f"{rate:>12}  {text}")


def _rows_of(kernel, device, group, total, color):
    text = printable(f"{kernel} on {device}")
    if group.bounds:
        text += f", bound by {', '.join(group.bounds)}"
    if group.predicted is not None:
        text += f", {_time(group.predicted)} predicted"
    row = _row(group, total, text)
    heavy = total > 0 and group.seconds > 0.2 * total
    yield f"\033[1m{row}\033[0m" if color and heavy else row
    sites = grouped(group.launches, lambda launch: (launch.site, launch.grid))
    for (site, grid), part in sites:
        extents = " x ".join(map(str, grid))
        yield _row(part, total, printable(f"  {site_text(site)}, grid {extents}"))


def _uncounted(launches):
    """Why bytes are missing in the table, which lacks them of all launches of a row if it lacks them of one."""
    groups = grouped([launch for launch in launches if launch.counts.why_not],
                     lambda launch: (launch.kernel, launch.counts.why_not))
    for (kernel, reason), group in groups:
        count = len(group.launches)
        yield printable(f"bytes of {count} launch{'es' if count > 1 else ''} of {kernel} are not counted: {reason}")


def as_document(recorder):
    def entry(group, **facts):
        return {**facts, "launches": len(group.launches), "timed": len(group.timed),
                "with_launch": sum(not launch.is_alone for launch in group.timed), "seconds": group.seconds,
                "mean_seconds": group.mean, "bytes": group.bytes, "bytes_per_second": group.rate, "bounds": group.bounds,
                "predicted_seconds": group.predicted}

    kernels = []
    for (kernel, device), group in grouped(recorder.launches, lambda launch: (launch.kernel, launch.device)):
        sites = [entry(part, file=site[0], line=site[1], function=site[2], grid=list(grid))
                 for (site, grid), part in grouped(group.launches, lambda launch: (launch.site, launch.grid))]
        kernels.append(entry(group, kernel=kernel, device=device, sites=sites))
    return {"seconds": recorder.seconds, "launches": len(recorder.launches), "untimed": recorder.untimed,
            "kernels": kernels}


def as_trace(recorder):
    """The Trace Event Format: a row for each device."""
    devices = sorted({launch.device for launch in recorder.launches})
    events = [{"name": "process_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "launches"}}]
    events += [{"name": "thread_name", "ph": "M", "pid": 0, "tid": number, "args": {"name": device}}
               for number, device in enumerate(devices)]
    for launch in recorder.launches:
        if launch.seconds is None:
            continue
        events.append({"name": launch.kernel, "cat": "launch", "ph": "X", "pid": 0, "tid": devices.index(launch.device),
                       "ts": launch.begin * 1e6, "dur": launch.seconds * 1e6,
                       "args": {"grid": list(launch.grid), "site": site_text(launch.site), "bytes": launch.counts.bytes}})
    return {"traceEvents": events, "displayTimeUnit": "ns"}


def pages(recorder, most):
    """The pages of nereid.analyze, by file name: of each of the heaviest kernels that have one, its heaviest launch."""
    found = {}
    for (kernel, _), group in grouped(recorder.launches, lambda launch: (launch.kernel, launch.device))[:most]:
        for _, part in grouped(group.launches, lambda launch: (launch.site, launch.grid)):
            page = next((launch.counts.page for launch in part.timed if launch.counts.page), None)
            if page:
                name = "".join(c if c.isalnum() or c in "-_" else "_" for c in kernel)
                found[f"{len(found) + 1}-{name}.html"] = page
                break
    return found


def write(path, text):
    """The file appears whole or not at all."""
    pending = f"{path}.{os.getpid()}.tmp"
    try:
        with open(pending, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(pending, path)
    except BaseException:
        if os.path.exists(pending):
            os.unlink(pending)
        raise
