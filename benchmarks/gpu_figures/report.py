# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table and the plot."""

import html
import json


def table(rows):
    """Markdown. Ratios are those of the mean times, of rounds in which all contenders took turns, with the middle half
    of the rounds' ratios; `copy` is one of as many bytes as the work moves."""
    lines = ["| work | unit | Nereid | Triton | PyTorch | Nereid / Triton | Nereid / PyTorch | Nereid / copy | |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        def number(side):
            return f"{row['rates'][side]:.0f} ({row['chosen'][side]})" if row["chosen"].get(side) else \
                f"{row['rates'][side]:.0f}" if side in row["rates"] else "-"

        def ratio(side):
            low, middle, high = row["ratios"].get(side, (0, 0, 0))
            return f"{middle:.3f} ({low:.3f} to {high:.3f})" if middle else "-"

        lines.append(f"| {row['name']} | {row['unit']} | {number('nereid')} | {number('triton')} | {number('torch')} | "
                     f"{ratio('triton')} | {ratio('torch')} | {ratio('copy')} | {'; '.join(row['problems'])} |")
    return "\n".join(lines) + "\n"


def plot(rows):
    """An SVG: for each row a bar of Nereid's rate over Triton's and one over PyTorch's, with the middle half."""
    left, width, height, scale = 330, 900, 30, 350
    parts = []
    for number, row in enumerate(rows):
        y = 30 + number * height
        parts.append(f'<text x="{left - 8}" y="{y + 16}" text-anchor="end">{html.escape(row["name"])}</text>')
        for offset, (side, colour) in enumerate((("triton", "#2b6cb0"), ("torch", "#dd8b2f"))):
            if side in row["ratios"]:
                low, middle, high = row["ratios"][side]
                top = y + 3 + offset * 11
                parts.append(f'<rect x="{left}" y="{top}" width="{middle * scale:.1f}" height="9" fill="{colour}"/>')
                parts.append(f'<line x1="{left + low * scale:.1f}" x2="{left + high * scale:.1f}" y1="{top + 4}" '
                             f'y2="{top + 4}" stroke="black"/>')
    bottom = 30 + len(rows) * height
    parts.append(f'<line x1="{left + scale}" x2="{left + scale}" y1="24" y2="{bottom}" stroke="black" stroke-dasharray="4"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom + 10}" font-family="sans-serif" '
            f'font-size="12"><text x="{left}" y="16">Nereid\'s rate over Triton\'s (blue) and PyTorch\'s (orange); '
            f'dashed: equal</text>{"".join(parts)}</svg>\n')


def write(directory, machine, rows, notes):
    directory.mkdir(parents=True, exist_ok=True)
    text = f"{machine}\n\n{table(rows)}\n{notes}"
    (directory / "figures.md").write_text(text)
    (directory / "figures.svg").write_text(plot(rows))
    (directory / "figures.json").write_text(json.dumps({"machine": machine, "rows": rows}, indent=1))
    return text
