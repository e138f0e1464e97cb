# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A table's ratios as bars on a logarithmic axis, with their spread: SVG, without any library."""

import html
import math

LEFT, WIDTH, LINE, TOP = 260, 560, 16, 46


def draw(rows, title, path):
    """`rows`: (name, ratio, least, greatest)."""
    low = min(0.5, *(row[2] for row in rows))
    high = max(2.0, *(row[3] for row in rows))

    def x(ratio):
        return LEFT + WIDTH * math.log(ratio / low) / math.log(high / low)

    height = TOP + LINE * len(rows) + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 70}" height="{height}" '
             'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="8" y="16" font-size="13">{html.escape(title)}</text>']
    tick = 2.0 ** math.ceil(math.log2(low))
    while tick <= high:
        parts.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP - 6}" y2="{height - 8}" '
                     f'stroke="{"#333" if tick == 1 else "#ddd"}"/>'
                     f'<text x="{x(tick):.1f}" y="{TOP - 10}" text-anchor="middle">{tick:g}</text>')
        tick *= 2
    for i, (name, ratio, least, greatest) in enumerate(rows):
        y = TOP + LINE * i
        begin, end = sorted((x(1.0), x(ratio)))
        parts.append(f'<text x="{LEFT - 8}" y="{y + 10}" text-anchor="end">{html.escape(name)}</text>'
                     f'<rect x="{begin:.1f}" y="{y + 2}" width="{max(end - begin, 1):.1f}" height="9" '
                     f'fill="{"#4a8" if ratio >= 1 else "#c64"}"/>'
                     f'<line x1="{x(least):.1f}" x2="{x(greatest):.1f}" y1="{y + 6.5}" y2="{y + 6.5}" stroke="#222"/>'
                     f'<text x="{LEFT + WIDTH + 12}" y="{y + 10}">{ratio:.2f}</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*parts, "</svg>\n"]))
