# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of a benchmark of three arrays of n floats: whether their numbers fit each other, and whether the pictures
are pictures that show them."""

import csv
import json
import struct
import sys
import xml.etree.ElementTree
import zlib

base = sys.argv[1]
chart = json.load(open(base + ".json"))
curves = {curve["name"]: curve["points"] for curve in chart["curves"]}
assert list(curves) == ["BLOCK=16 num_warps=2", "BLOCK=64 num_warps=2", "add.py::add BLOCK=32"], list(curves)
assert chart["ceilings"] == [{"name": "by hand", "rate": 10000}]
rows = list(csv.DictReader(open(base + ".csv")))
assert len(rows) == 9
for row in rows:
    n = int(row["n"])
    point = next(point for point in curves[row["curve"]] if point["n"] == n)
    for name in ("median_ms", "low_ms", "high_ms", "rate"):
        assert abs(float(row[name]) - point[name]) <= 1e-8 * point[name], (row, point)
    assert point["low_ms"] <= point["median_ms"] <= point["high_ms"]
    gigabytes = 3 * 4 * n / point["median_ms"] * 1e3 / 1e9
    assert abs(point["rate"] - gigabytes) <= 1e-6 * gigabytes, (point, gigabytes)

svg = xml.etree.ElementTree.parse(base + ".svg").getroot()
space = "{http://www.w3.org/2000/svg}"
texts = [text.text for text in svg.iter(space + "text")]
for wanted in [*curves, "n", "GB/s", "32", "128", "512", "by hand"]:
    assert wanted in texts, (wanted, texts)
assert len(list(svg.iter(space + "circle"))) == 3 * 3 + 3  # points, and one in each line of the legend
assert len(list(svg.iter(space + "polygon"))) == 3

# The picture, without its filters undone: it must be whole, and each curve's colour somewhere in it.
data = open(base + ".png", "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
place, packed = 8, b""
while place < len(data):
    length, kind = struct.unpack(">I4s", data[place:place + 8])
    body = data[place + 8:place + 8 + length]
    assert struct.unpack(">I", data[place + 8 + length:place + 12 + length])[0] == zlib.crc32(kind + body)
    if kind == b"IHDR":
        width, height, depth, color = struct.unpack(">IIBB", body[:10])
    packed += body if kind == b"IDAT" else b""
    place += 12 + length
assert (width, height, depth, color) == (1000, 560, 8, 2)
pixels = zlib.decompress(packed)
assert len(pixels) == height * (1 + 3 * width)


def unfiltered():
    """The rows as PNG's specification, section 9, takes its filters back."""
    before = bytes(3 * width)
    for row in range(height):
        start = row * (1 + 3 * width)
        kind, line = pixels[start], bytearray(pixels[start + 1:start + 1 + 3 * width])
        for i in range(3 * width):
            left, up = (line[i - 3] if i >= 3 else 0), before[i]
            corner = before[i - 3] if i >= 3 else 0
            nearest = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            line[i] = (line[i] + (0, left, up, (left + up) // 2, nearest)[kind]) % 256
        before = bytes(line)
        yield before


lines = list(unfiltered())
found = {line[i:i + 3] for line in lines for i in range(0, 3 * width, 3)}
for wanted in [(0, 114, 178), (213, 94, 0), (0, 158, 115), (0, 0, 0), (255, 255, 255)]:
    assert bytes(wanted) in found, wanted

# The title begins with "add": its first letter lies in the lower part of the line, the others reach to the top.
black = [[line[3 * x:3 * x + 3] == b"\0\0\0" for x in range(84, 110)] for line in lines[:40]]
rows = [y for y, row in enumerate(black) if any(row)]
first = [y for y in rows if any(black[y][:7])]
assert rows and first[0] > rows[0] and first[-1] == rows[-1], (rows, first)
