# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a comparison found: a table by launch, the program as a whole, the distribution of the ratios."""

import json
import math
import pathlib
import statistics

_SHORT_MS = 0.010  # launches under it are shown, and count for the program's time alone
_REMARKS_BELOW = 0.97
_BOUND = 13  # letters of a part of a GPU, as nereid.analyze names it


def weight(row):
    """The time that the program spends in launches like this one, under Triton, in ms."""
    return row["calls"] * row["triton_ms"]


def timed(rows):
    return [row for row in rows if "ratio" in row]


def long_enough(rows):
    """Of the timed ones, those whose ratios count for themselves."""
    return [row for row in timed(rows) if row["triton_ms"] >= _SHORT_MS]


def distribution(rows):
    """Of the ratios of distinct launches that are not short; nothing if there are none."""
    ratios = sorted(row["ratio"] for row in long_enough(rows))
    if not ratios:
        return {}
    return {"launches": len(ratios), "geometric mean": math.exp(statistics.fmean(map(math.log, ratios))),
            "least": ratios[0], "5th percentile": ratios[int(0.05 * len(ratios))],
            "25th percentile": ratios[int(0.25 * len(ratios))], "median": ratios[len(ratios) // 2]}


def table(rows, remarks=True):
    lines = [f"{'Triton us':>10} {'Nereid us':>10} {'ratio':>6} {'calls':>6} {'share':>6}  {'bound by':<{_BOUND}}  kernel"]
    whole = sum(map(weight, timed(rows))) or 1
    for row in sorted(timed(rows), key=weight, reverse=True):
        lines.append(f"{row['triton_ms'] * 1e3:10.1f} {row['nereid_ms'] * 1e3:10.1f} {row['ratio']:6.2f} "
                     f"{row['calls']:6} {weight(row) / whole:6.1%}  {row.get('bound', '-'):<{_BOUND}}  {name(row)}{_verdict(row)}")
        if remarks and row["ratio"] < _REMARKS_BELOW:
            lines += [" " * (47 + _BOUND) + line for line in _remark_lines(row)]
    untimed = [(row, f": {row['problem']}") for row in rows if "problem" in row]
    untimed += [(row, _verdict(row)) for row in rows if "ratio" not in row and "difference" in row and is_wrong(row)]
    lines += [f"{'-':>10} {'-':>10} {'-':>6} {row['calls']:6} {'-':>6}  {'-':<{_BOUND}}  {name(row)}{why}"
              for row, why in untimed]
    return "\n".join([*lines, *_summary(rows)]) + "\n"


def name(row):
    """What a launch is called: its kernel, grid, warps and stages."""
    options = row["options"]
    return f"{row['kernel']} {'x'.join(map(str, row['grid']))} w{options.get('num_warps')} s{options.get('num_stages')}"


def is_wrong(row):
    """Whether the results differ by more than two launches under Triton do."""
    return row["difference"] > max(1, row.get("difference_of_triton", 0))


def wrong_by(row):
    """How far the results are off: by how many whole numbers, or else by how much of what may be."""
    unequal, of = row.get("unequal_integers", (0, 0))
    return f"{unequal} of {of} whole numbers" if unequal else f"{row['difference']:.2g} of what may be"


def _verdict(row):
    if is_wrong(row):
        return f"  RESULTS DIFFER ({wrong_by(row)})"
    return "  (results differ from launch to launch, under Triton too)" if row["difference"] > 1 else ""


def _remark_lines(row):
    """The first line of each remark: what, and where."""
    return list(dict.fromkeys(remark.splitlines()[0] for remark in row["remarks"] if remark))[:6]


def _summary(rows):
    found = timed(rows)
    if not found:
        return ["no launch was timed", *_wrong(rows)]
    theirs, ours = sum(map(weight, found)), sum(row["calls"] * row["nereid_ms"] for row in found)
    lines = [f"whole program, of the launches above: Triton {theirs:.3f} ms, Nereid {ours:.3f} ms, ratio "
             f"{theirs / ours:.2f}"]
    shape = distribution(rows)
    if shape:
        lines.append(f"{shape['launches']} distinct launches of 10 us and more: " + ", ".join(
            f"{what} {value:.2f}" for what, value in shape.items() if what != "launches"))
    return lines + _wrong(found)


def _wrong(rows):
    compared = [row for row in rows if "difference" in row]
    wrong = sum(map(is_wrong, compared))
    return [f"{wrong} of {len(compared)} launches leave other results than under Triton"] if wrong else []


def write_json(path, machine, rows):
    pathlib.Path(path).write_text(json.dumps({"machine": machine, "rows": rows}, indent=1))


def write_plot(path, rows):
    """Ratios of distinct launches in ascending order, with the share of the program's time that each has."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = sorted(timed(rows), key=lambda row: row["ratio"])
    figure, axes = pyplot.subplots(figsize=(9, 4.5), layout="constrained")
    widths = [1 / len(found)] * len(found)
    left = [number / len(found) for number in range(len(found))]
    colours = ["#dd8b2f" if row["ratio"] < 1 else "#2b6cb0" for row in found]
    axes.bar(left, [row["ratio"] for row in found], widths, align="edge", color=colours, edgecolor="white",
             linewidth=0.3)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set(xlabel="distinct launches, as parts of all", ylabel="Triton's time over Nereid's", xlim=(0, 1))
    figure.savefig(path)
    pyplot.close(figure)
