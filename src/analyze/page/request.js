// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the chosen line: one request, and which lane of which warp holds which element.
"use strict";

// Where the 32 lanes of a request lie, and the sectors that come.
function drawRequest(view, access) {
  const lanes = access.lanes_of_request;
  if (!lanes.some((offset) => offset >= 0)) return null;
  const used = new Map();
  lanes.forEach((offset, lane) => {
    for (let at = offset; offset >= 0 && at < offset + access.bytes_of_lane; ++at) {
      const sector = Math.floor(at / 32);
      if (!used.has(sector)) used.set(sector, new Array(32).fill(-1));
      used.get(sector)[at % 32] = lane;
    }
  });
  const sectors = [...used.keys()].sort((a, b) => a - b), cell = 3, pitch = 32 * cell + 8;
  const svg = picture(4 * pitch + 10, Math.ceil(sectors.length / 4) * 22 + 6, `One request of ${sectors.length} sectors; arrow keys choose a lane`, { role: "application", class: "request" });
  sectors.forEach((sector, index) => {
    const x = index % 4 * pitch, y = Math.floor(index / 4) * 22, group = element("g");
    used.get(sector).forEach((lane, at) => {
      const rect = element("rect", { x: x + at * cell, y, width: cell, height: 16, fill: lane < 0 ? colours.waste : lane % 2 ? colours.good : colours.goodToo,
        "fill-opacity": lane < 0 ? 0.45 : 1 }, element("title", {}, `sector ${sector}, byte ${32 * sector + at}: ${lane < 0 ? "nobody asks for it" : `lane ${lane}`}`));
      if (lane >= 0) {
        rect.dataset.lane = lane;
        rect.addEventListener("click", () => view.choose({ lane, warp: Math.max(view.chosen.warp, 0) }));
      }
      group.append(rect);
    });
    svg.append(group);
  });
  walkLanes(svg, view, 1 << (access.layout ? access.layout.warp.length : 0));
  markLanes(svg, view, (rect) => Number(rect.dataset.lane) === view.chosen.lane);
  return figure(`${where(access)}${access.kind} of ${access.array}: one request, ${sectors.length} sectors`, svg,
    note("Green: bytes that lanes ask for, neighbours in two shades. Orange: bytes that come along."));
}

function markLanes(svg, view, isChosen) {
  for (const rect of svg.querySelectorAll("[data-lane]")) rect.classList.toggle("picked", view.chosen.lane >= 0 && isChosen(rect));
  svg.mark = () => markLanes(svg, view, isChosen);
}

// What each bit of a number adds to the coordinates.
const reach = (bases, number, rank) => bases.reduce((at, basis, bit) => number >> bit & 1 ? at.map((c, i) => c ^ basis[i]) : at, new Array(rank).fill(0));

// Of each element of a tile, by its coordinates, [warp, lane, register] of its first holder.
function holdersOf(layout) {
  if (layout.holders) return layout.holders;
  const places = new Map(), rank = layout.shape.length, all = (bases, most = 1 << 30) =>
    Array.from({ length: Math.min(1 << bases.length, most) }, (_, number) => reach(bases, number, rank));
  const registers = all(layout.register, 256), lanes = all(layout.lane);
  all(layout.warp).forEach((w, warp) => lanes.forEach((l, lane) => registers.forEach((r, register) => {
    const key = w.map((c, i) => c ^ l[i] ^ r[i]).join();
    if (!places.has(key)) places.set(key, [warp, lane, register]);
  })));
  return layout.holders = places;
}

function drawHolders(view, access) {
  const layout = access.layout;
  if (!layout || layout.shape.length > 2) return null;
  const flat = layout.shape.length === 1, columns = Math.min(32, layout.shape[flat ? 0 : 1]), rows = flat ? Math.min(16, Math.ceil(layout.shape[0] / 32)) : Math.min(32, layout.shape[0]);
  const cell = 17, places = holdersOf(layout), svg = picture(columns * cell, rows * cell, "Who holds what; arrow keys choose a lane, page keys a warp", { role: "application", class: "holders" });
  for (let row = 0; row < rows; ++row)
    for (let column = 0; column < columns; ++column) {
      const found = places.get(flat ? String(row * 32 + column) : `${row},${column}`);
      if (!found) continue;
      const [warp, lane, register] = found, rect = element("rect", { x: column * cell, y: row * cell, width: cell - 1, height: cell - 1, fill: manyColours[warp % 8],
        "fill-opacity": 0.55, "data-lane": lane, "data-warp": warp }, element("title", {}, `warp ${warp}, lane ${lane}, register ${register}`));
      rect.addEventListener("click", () => view.choose({ warp, lane }));
      svg.append(rect, element("text", { x: column * cell + 2, y: row * cell + 12, class: "number" }, String(lane)));
    }
  walkLanes(svg, view, 1 << layout.warp.length);
  markLanes(svg, view, (rect) => Number(rect.dataset.lane) === view.chosen.lane && Number(rect.dataset.warp) === view.chosen.warp);
  return figure(`${where(access)}${access.kind} of ${access.array}: who holds the tile of ${layout.shape.join(" x ")}`, svg,
    note(`Numbers: lanes. Colours: warps. A click chooses a lane. The first 32 rows and columns are drawn${flat ? ", 32 elements in a row." : "."}`));
}

function drawChosen(view) {
  const pictures = element("div", { class: "pictures" });
  view.on((chosen, what) => {
    if (!what.has("line")) {
      for (const svg of pictures.querySelectorAll("svg")) if (svg.mark) svg.mark();
      return;
    }
    pictures.replaceChildren();
    for (const access of view.accessesOf(chosen.line)) pictures.append(...[drawRequest(view, access), drawHolders(view, access)].filter(Boolean));
    if (!pictures.children.length)
      pictures.append(note(view.accessesOf(chosen.line).length ? "The copy engine moves this tile: no lane asks for it." : "No access stands in this line: choose another one in the source."));
  });
  return section("The chosen line", "chosen", pictures);
}
