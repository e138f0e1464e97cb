// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which element of a tile lies where in shared memory: lines of its 32 banks, as swizzles have it.
"use strict";

const roomCell = 22, roomLeft = 44, bankBytes = 4, banks = 32, mostLines = 16;

// The coordinates of the element at an offset, which counts elements.
const elementAt = (room, offset) => room.offsets.reduce((at, basis, bit) => offset / 2 ** bit & 1 ? at.map((c, dim) => c ^ basis[dim]) : at, new Array(room.shape.length).fill(0));

// The elements of one bank of a line: first and last, if that is in the tile.
function elementsOfBank(room, line, bank) {
  const first = (line * banks + bank) * bankBytes, number = Math.floor(first / room.element_bytes), together = Math.max(1, bankBytes / room.element_bytes);
  return [elementAt(room, number), elementAt(room, number + together - 1)].filter((at) => at.every((c, dim) => c < room.shape[dim]));
}

const bytesOfRoom = (room) => 2 ** room.offsets.length * room.element_bytes;
const linesOfRoom = (room) => Math.min(mostLines, Math.ceil(bytesOfRoom(room) / (banks * bankBytes)));

// Lines from `first` on, as many as are drawn.
function pictureOfRoom(room, first = 0) {
  const all = bytesOfRoom(room), lines = linesOfRoom(room);
  const used = Math.min(banks, Math.ceil(all / bankBytes)), title = `${room.what}: ${lines} lines of shared memory's banks`;
  const svg = picture(used * roomCell + roomLeft, lines * roomCell + 18, title, { class: "room" });
  for (let bank = 0; bank < used; bank += 4) svg.append(element("text", { x: roomLeft + bank * roomCell, y: 11, class: "small" }, `bank ${bank}`));
  for (let row = 0; row < lines; ++row) {
    const line = first + row;
    svg.append(element("text", { x: 0, y: 16 + row * roomCell + 14, class: "small" }, count(line * banks * bankBytes)));
    for (let bank = 0; bank < used; ++bank) {
      const found = elementsOfBank(room, line, bank);
      if (!found.length) continue;
      const rowOfTile = found[0].length > 1 ? found[0][found[0].length - 2] : 0, column = found[0][found[0].length - 1], last = found[found.length - 1];
      const label = `bytes ${(line * banks + bank) * bankBytes} and on, bank ${bank}: element ${found[0].join(", ")}${last === found[0] ? "" : ` to ${last.join(", ")}`}`;
      svg.append(element("rect", { x: roomLeft + bank * roomCell, y: 16 + row * roomCell, width: roomCell - 1, height: roomCell - 1, fill: manyColours[rowOfTile % manyColours.length], "fill-opacity": 0.55,
        "data-row": rowOfTile, "data-column": column, "data-byte": (line * banks + bank) * bankBytes }, element("title", {}, label)),
      element("text", { x: roomLeft + bank * roomCell + 2, y: 16 + row * roomCell + 14, class: "number" }, String(column)));
    }
  }
  return svg;
}

function drawRoom(view, room) {
  const all = bytesOfRoom(room), lines = linesOfRoom(room);
  const part = lines * banks * bankBytes < all ? ` The first ${bytes(lines * banks * bankBytes)} of ${bytes(all)} are drawn.` : "";
  return view.selectable(figure(`${where(room)}${room.what}, ${room.slots} x ${bytes(room.bytes)}`, pictureOfRoom(room),
    note(`Colours: rows of the tile. Numbers: the column of each bank's first element. A line is what all banks give at once: those of one row side by side, and the same columns of rows below one another in other banks, have no conflicts.${part}`)), lineOf(room));
}

function drawRooms(view) {
  const rooms = view.report.flow.rooms.filter((room) => room.offsets.length && room.element_bytes), alike = new Map();
  for (const room of rooms) if (!alike.has(`${lineOf(room)} ${room.what} ${room.offsets}`)) alike.set(`${lineOf(room)} ${room.what} ${room.offsets}`, room);
  if (!alike.size) return null;
  return section("Shared memory: what lies in which bank", "rooms", element("div", { class: "pictures" }, ...[...alike.values()].slice(0, 6).map((room) => drawRoom(view, room))));
}
