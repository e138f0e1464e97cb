# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `compare.py` found, as tables: launch by launch, and of each quantity how often it is right."""

import statistics

from metrics import METRICS


def error_of(pair):
    mine, other = pair
    if mine is None or other is None:
        return None
    return abs(mine - other) / max(abs(other), 1e-12) if other else (0.0 if not mine else float("inf"))


def errors_of(rows, name):
    """(error, launch, ours, theirs) of the launches in which either is not zero, the largest first."""
    found = [(error_of(row["counts"][name]), row["case"], *row["counts"][name]) for row in rows if "counts" in row and any(row["counts"][name])]
    return sorted((entry for entry in found if entry[0] is not None), key=lambda entry: -entry[0])


def by_launch(rows, card):
    shown = [name for name in METRICS if errors_of(rows, name)]
    lines = [f"# `nereid analyze` beside ncu on {card}", "", "Ours / theirs; where both are zero nothing stands. Times in microseconds, arrays not in L2.", "",
             "| launch | bound | " + " | ".join(shown) + " |", "|---|---|" + "---|" * len(shown)]
    number = lambda value: "-" if value is None else f"{round(value, 1):,}"
    for row in rows:
        if "counts" not in row:
            lines.append(f"| {row['case']} | failed: {row['failed'][:120]} |")
            continue
        pairs = [row["counts"][name] for name in shown]
        lines.append(f"| {row['case']} | {row['bound']} | " + " | ".join(f"{number(mine)} / {number(other)}" if mine or other else "" for mine, other in pairs) + " |")
    return "\n".join(lines) + "\n"


def by_quantity(rows):
    lines = [f"{len(rows)} launches, {sum('counts' not in row for row in rows)} failed", "",
             "| what | launches | equal | within 1 % | within 10 % | median error | 90th percentile | worst |", "|---|---|---|---|---|---|---|---|"]
    for name in METRICS:
        found = errors_of(rows, name)
        if not found:
            continue
        errors = sorted(entry[0] for entry in found)
        within = lambda most: sum(error <= most for error in errors)
        worst = "; ".join(f"{case} {mine:,.0f} / {other:,.0f}" for _, case, mine, other in found[:3] if mine != other)
        lines.append(f"| {name} | {len(errors)} | {within(0)} | {within(0.01)} | {within(0.1)} | {100 * statistics.median(errors):.1f} % | "
                     f"{100 * errors[int(0.9 * (len(errors) - 1))]:.1f} % | {worst} |")
    return "\n".join(lines) + "\n"


def times_by(rows, set_of):
    """How far predicted times are off, by set of launches and by what bounds them; the 150 are all sets but the fresh one."""
    found = [(error_of(row["counts"]["microseconds"]), row) for row in rows if "counts" in row]
    found = [(error, row) for error, row in found if error is not None]
    groups = {"all but the fresh ones": lambda row: set_of.get(row["case"]) != "fresh"}
    groups |= {f"set {name}": lambda row, name=name: set_of.get(row["case"]) == name for name in dict.fromkeys(set_of.values())}
    groups |= {f"bound by {name}": lambda row, name=name: row["bound"] == name for name in sorted({row["bound"] for _, row in found})}
    lines = ["| times | launches | median error | 90th percentile | off by more than 20 % |", "|---|---|---|---|---|"]
    for name, belongs in groups.items():
        errors = sorted(error for error, row in found if belongs(row))
        if errors:
            lines.append(f"| {name} | {len(errors)} | {100 * statistics.median(errors):.1f} % | {100 * errors[int(0.9 * (len(errors) - 1))]:.1f} % | "
                         f"{sum(error > 0.2 for error in errors)} |")
    return "\n".join(lines) + "\n"
