// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the chosen line: one request, which lane of which warp holds which element, and tiles that change hands.
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

// The number whose bits add up to given coordinates, of those that do with clear bits where a basis adds nothing new; null if none
// does. `bases` as of reach().
function inverseOf(bases) {
  const packed = (at) => at.reduce((sum, c) => sum << 24n | BigInt(c), 0n), rows = [];
  const reduced = (value) => rows.reduce(([left, number], [row, bits, top]) => left >> top & 1n ? [left ^ row, number ^ bits] : [left, number], [value, 0n]);
  bases.forEach((basis, bit) => {
    const [left, number] = reduced(packed(basis));
    if (left) rows.push([left, number ^ 1n << BigInt(bit), BigInt(left.toString(2).length - 1)]);
  });
  return (at) => { const [left, number] = reduced(packed(at)); return left ? null : Number(number); };
}

// Gives [warp, lane, register] of the first holder of an element, by its coordinates; null if nobody holds it.
function holdersOf(layout) {
  if (layout.holders) return layout.holders;
  const numberOf = inverseOf([...layout.register, ...layout.lane, ...layout.warp]), r = layout.register.length, l = layout.lane.length;
  return layout.holders = (at) => {
    const number = numberOf(at);
    return number === null ? null : [number >> r + l, number >> r & (1 << l) - 1, number & (1 << r) - 1];
  };
}

// Numbers: lanes, colours: warps, of up to 32 rows and columns; of those in which the chosen lane has its first element. `onElement`
// hears of the coordinates of what is clicked.
class Holders {
  constructor(view, layout, onElement = () => {}) {
    this.view = view;
    this.layout = layout;
    this.onElement = onElement;
    this.element = null; // that is marked, by its coordinates
    this.isFlat = layout.shape.length === 1;
    // A tile of one dimension lies in rows of 32; of more than two, the first ones along the others are drawn.
    this.before = layout.shape.slice(0, -2).map(() => 0);
    this.shape = this.isFlat ? [Math.ceil(layout.shape[0] / 32), Math.min(32, layout.shape[0])] : layout.shape.slice(-2);
    this.rows = Math.min(this.isFlat ? 16 : 32, this.shape[0]);
    this.columns = Math.min(32, this.shape[1]);
    this.svg = picture(17 * this.columns, 17 * this.rows, "Who holds what; arrow keys choose a lane, page keys a warp", { role: "application", class: "holders" });
    this.text = note("");
    walkLanes(this.svg, view, 1 << layout.warp.length);
    this.svg.mark = () => this.mark();
    this.draw(0, 0);
  }

  draw(top, left) {
    const cell = 17, { view, svg, layout, isFlat } = this, places = holdersOf(layout);
    svg.replaceChildren();
    for (let row = 0; row < this.rows; ++row)
      for (let column = 0; column < this.columns; ++column) {
        const at = isFlat ? [(top + row) * 32 + column] : [...this.before, top + row, left + column], found = places(at);
        if (!found) continue;
        const [warp, lane, register] = found, rect = element("rect", { x: column * cell, y: row * cell, width: cell - 1, height: cell - 1, fill: manyColours[warp % 8],
          "fill-opacity": 0.55, "data-lane": lane, "data-warp": warp, "data-at": at.join() }, element("title", {}, `element ${at.join(", ")}: warp ${warp}, lane ${lane}, register ${register}`));
        rect.addEventListener("click", () => { view.choose({ warp, lane }); this.onElement(at); });
        svg.append(rect, element("text", { x: column * cell + 2, y: row * cell + 12, class: "number" }, String(lane)));
      }
    const part = this.rows < this.shape[0] || this.columns < this.shape[1] ? isFlat ? ` Elements ${32 * top} to ${32 * (top + this.rows) - 1} are drawn, 32 in a row.`
      : ` Rows ${top} to ${top + this.rows - 1} and columns ${left} to ${left + this.columns - 1} are drawn.` : "";
    this.text.textContent = `Numbers: lanes. Colours: warps. A click chooses a lane.${part}`;
  }

  // The element comes into sight, and a frame around it.
  markElement(at) {
    this.element = at;
    if (!this.svg.querySelector(`[data-at="${at.join()}"]`)) this.show(at);
    for (const rect of this.svg.querySelectorAll("[data-at]")) rect.classList.toggle("element", rect.dataset.at === at.join());
  }

  show(at) {
    const [row, column] = this.isFlat ? [Math.floor(at[0] / 32), 0] : at.slice(-2), whole = (place, size, all) => Math.max(0, Math.min(Math.floor(place / size) * size, all - size));
    this.before = at.slice(0, -2);
    this.draw(whole(row, this.rows, this.shape[0]), whole(column, this.columns, this.shape[1]));
  }

  mark() {
    const { warp, lane } = this.view.chosen, isChosen = (rect) => Number(rect.dataset.lane) === lane && Number(rect.dataset.warp) === Math.max(warp, 0);
    if (lane >= 0 && ![...this.svg.querySelectorAll("[data-lane]")].some(isChosen)) {
      const rank = this.layout.shape.length;
      this.show(reach(this.layout.warp, Math.max(warp, 0), rank).map((c, i) => c ^ reach(this.layout.lane, lane, rank)[i]));
      if (this.element) for (const rect of this.svg.querySelectorAll("[data-at]")) rect.classList.toggle("element", rect.dataset.at === this.element.join());
    }
    for (const rect of this.svg.querySelectorAll("[data-lane]")) rect.classList.toggle("picked", lane >= 0 && isChosen(rect));
  }
}

function drawHolders(view, access) {
  const layout = access.layout;
  if (!layout) return null;
  const holders = new Holders(view, layout);
  holders.mark();
  return figure(`${where(access)}${access.kind} of ${access.array}: who holds the tile of ${layout.shape.join(" x ")}`, holders.svg, holders.text);
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
    pictures.append(...view.report.exchanges.filter((each) => lineOf(each) === chosen.line).map((each) => drawExchange(view, each)));
    if (!pictures.children.length)
      pictures.append(note(view.accessesOf(chosen.line).length ? "The copy engine moves this tile: no lane asks for it." : "No access stands in this line, and no tile changes hands: choose another one in the source."));
  });
  return section("The chosen line", "chosen", pictures);
}
