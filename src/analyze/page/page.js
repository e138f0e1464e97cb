// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws the report that the page holds. Texts go into the page as text nodes alone: what a kernel or an array is called
// cannot become part of it.
"use strict";

const report = JSON.parse(document.getElementById("report").textContent);
const launch = report.launch;

function element(name, attributes = {}, ...children) {
  const svg = ["svg", "rect", "line", "text", "path", "circle", "g", "title"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const child of children) made.append(child);
  return made;
}

function scaled(value, units, step = 1000) {
  let unit = 0;
  while (Math.abs(value) >= step && unit + 1 < units.length) { value /= step; ++unit; }
  return `${value.toFixed(value < 10 && unit ? 1 : 0)} ${units[unit]}`;
}
const bytes = (value) => scaled(value, ["B", "kB", "MB", "GB", "TB"]);
const count = (value) => value.toLocaleString("en");
function time(seconds) {
  return seconds < 1e-6 ? `${(seconds * 1e9).toFixed(0)} ns` : seconds < 1e-3 ? `${(seconds * 1e6).toFixed(1)} us`
    : seconds < 1 ? `${(seconds * 1e3).toFixed(2)} ms` : `${seconds.toFixed(2)} s`;
}
const lineOf = (entry) => entry.place ? entry.place.line : 0;
const share = (seconds) => seconds > 0 ? `${(100 * seconds / launch.seconds).toFixed(0)} %` : "";

function figure(caption, ...content) {
  const made = element("figure", {}, element("figcaption", {}, caption), ...content);
  document.getElementById("pictures").append(made);
  return made;
}
function picture(width, height, label) {
  return element("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
}
function note(text) { return element("p", { class: "note" }, text); }

// A click on a line, in the source or in a table, marks it everywhere and draws its accesses.
let chosen = 0;
function choose(line) {
  chosen = line;
  for (const row of document.querySelectorAll("[data-line]")) row.classList.toggle("chosen", Number(row.dataset.line) === line);
  drawChosen();
}
function selectable(row, line) {
  row.dataset.line = line;
  if (!line) return row;
  row.tabIndex = 0;
  row.addEventListener("click", () => choose(line));
  row.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(line); } });
  return row;
}

function table(place, head, rows) {
  if (!rows.length) return;
  const made = element("table", {}, element("tr", {}, ...head.map((text) => element("th", {}, text))));
  for (const [line, ...cells] of rows)
    made.append(selectable(element("tr", {}, ...cells.map((cell) => element("td", {}, cell))), line));
  document.getElementById(place).append(made);
}

function badges(line) {
  const list = [];
  for (const access of report.accesses.filter((each) => lineOf(each) === line)) {
    const per = access.requests ? access.sectors / access.requests : 0, least = access.requests ? access.least_sectors / access.requests : 0;
    const wasted = access.sectors > access.least_sectors;
    list.push(element("span", { class: `badge ${wasted ? "waste" : "good"}` },
      `${wasted ? "\u2716" : "\u2714"} ${access.kind} ${access.array}: ${per.toFixed(1)}${wasted ? ` of ${least.toFixed(1)}` : ""} sectors`));
  }
  for (const entry of report.shared.filter((each) => lineOf(each) === line)) {
    const conflicts = entry.wavefronts > entry.least_wavefronts;
    if (entry.requests)
      list.push(element("span", { class: `badge ${conflicts ? "warn" : "cache"}` },
        `${conflicts ? "\u26a0 conflicts " : ""}shared ${(entry.wavefronts / entry.requests).toFixed(1)} wavefronts`));
    if (entry.barriers) list.push(element("span", { class: "badge cache" }, `${count(entry.barriers)} barriers`));
  }
  for (const product of report.products.filter((each) => lineOf(each) === line))
    list.push(element("span", { class: "badge cache" }, `${count(product.count)} ${product.instruction}`));
  return list;
}

function drawSource() {
  const lines = report.text.split("\n"), known = new Set([...report.accesses, ...report.shared, ...report.products].map(lineOf));
  if (lines[lines.length - 1] === "") lines.pop();
  const first = Math.max(report.first_line, Math.min(...[...known].filter(Boolean)) - 12);
  const last = Math.max(...known) + 3;
  const body = element("table");
  lines.forEach((text, index) => {
    const line = index + report.first_line;
    if (known.size && (line < first || line > last)) return;
    const has = known.has(line);
    const row = element("tr", has ? { class: "has" } : {}, element("td", {}, String(line)), element("td", { class: "code" }, text),
      element("td", { class: "text" }, ...(has ? badges(line) : [])));
    body.append(has ? selectable(row, line) : row);
  });
  document.getElementById("source").append(body);
}

function drawAdvice() {
  const list = document.getElementById("advice");
  for (const advice of report.advice)
    list.append(selectable(element("li", {}, element("b", {}, `${(100 * advice.gain).toFixed(0)} % `),
      advice.place ? `line ${advice.place.line}: ${advice.cause}` : advice.cause, element("br"), `Better: ${advice.accept}`), lineOf(advice)));
  for (const remark of report.remarks)
    list.append(selectable(element("li", {}, `The compiler: ${remark.text}`, element("br"), `Better: ${remark.accepted}`), lineOf(remark)));
  if (!list.children.length) list.append(element("li", {}, "No loss above 3 % that has a name."));
}

// What each part takes alone, beside the prediction.
function drawBounds() {
  const rows = report.bounds.filter((bound) => bound.seconds > launch.seconds / 500);
  const most = Math.max(launch.seconds, ...rows.map((bound) => bound.seconds)), width = 420, svg = picture(width + 170, 24 * rows.length + 34, "Bounds");
  const x = (seconds) => 130 + seconds / most * (width - 130);
  rows.forEach((bound, index) => {
    const y = 24 * index + 4;
    svg.append(element("text", { x: 0, y: y + 13 }, bound.name),
      element("rect", { x: 130, y, width: Math.max(1, x(bound.seconds) - 130), height: 18, fill: index ? "#56b4e9" : "#0072b2" },
        element("title", {}, bound.amount)),
      element("text", { x: x(bound.seconds) + 5, y: y + 13 }, time(bound.seconds)));
  });
  const end = x(launch.seconds);
  svg.append(element("line", { x1: end, x2: end, y1: 0, y2: 24 * rows.length + 4, stroke: "#d55e00", "stroke-dasharray": "4 3" }),
    element("text", { x: Math.min(end, width - 40) - 60, y: 24 * rows.length + 20 }, `predicted ${time(launch.seconds)}`));
  figure("Time: each part of the card alone", svg);
}

function drawRoofline() {
  const intensity = Math.max(launch.intensity, 1 / 64), reached = launch.flops / launch.seconds, bend = launch.peak_flops / launch.peak_bytes;
  const low = Math.min(1 / 16, intensity / 4), high = Math.max(bend * 8, intensity * 4), width = 420, height = 240;
  const top = launch.peak_flops * 2, bottom = Math.min(low * launch.peak_bytes, reached || top) / 2;
  const x = (value) => 50 + Math.log(value / low) / Math.log(high / low) * (width - 60);
  const y = (value) => height - 30 - Math.log(Math.max(value, bottom) / bottom) / Math.log(top / bottom) * (height - 40);
  const svg = picture(width, height, "Roofline");
  for (let decade = Math.ceil(Math.log10(low)); decade <= Math.log10(high); ++decade)
    svg.append(element("line", { x1: x(10 ** decade), x2: x(10 ** decade), y1: 10, y2: height - 30, stroke: "#eee" }),
      element("text", { x: x(10 ** decade) - 8, y: height - 16 }, String(10 ** decade)));
  for (let decade = Math.ceil(Math.log10(bottom)); decade <= Math.log10(top); ++decade)
    svg.append(element("line", { x1: 50, x2: width - 10, y1: y(10 ** decade), y2: y(10 ** decade), stroke: "#eee" }),
      element("text", { x: 2, y: y(10 ** decade) + 4 }, scaled(10 ** decade, ["", "k", "M", "G", "T", "P"])));
  svg.append(element("path", { d: `M${x(low)},${y(low * launch.peak_bytes)} L${x(bend)},${y(launch.peak_flops)} L${x(high)},${y(launch.peak_flops)}`,
    fill: "none", stroke: "#0072b2", "stroke-width": 2 }));
  if (launch.flops > 0)
    svg.append(element("circle", { cx: x(intensity), cy: y(reached), r: 5, fill: "#d55e00" }),
      element("text", { x: Math.min(x(intensity) + 8, width - 130), y: y(reached) + 14 }, `${scaled(reached, ["", "k", "M", "G", "T", "P"])}FLOP/s`));
  svg.append(element("text", { x: width - 190, y: height - 2 }, "FLOP for each byte of memory"));
  figure("Roofline", svg, note(launch.flops > 0 ? "" : "The kernel computes nothing with floats."));
}

// Which programs run together: the first waves of a grid, in the order of their numbers.
const waveColours = ["#56b4e9", "#e69f00", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999"];
function drawWaves() {
  const [gx, gy, gz] = report.grid, all = gx * gy * gz, isRow = gy === 1;
  // A grid of one row is drawn in lines; of a large one, every so many-th program.
  const columns = Math.min(gx, 64), rows = isRow ? Math.min(32, Math.ceil(all / columns)) : Math.min(gy, 32);
  const together = report.multiprocessors * launch.resident_blocks, cell = Math.max(6, Math.min(20, Math.floor(420 / columns)));
  const svg = picture(columns * cell, rows * cell, "Programs by wave");
  for (let row = 0; row < rows; ++row)
    for (let column = 0; column < columns; ++column) {
      const program = isRow ? Math.floor((row * columns + column) * Math.max(1, all / (rows * columns)))
        : Math.floor(row * gy / rows) * gx + Math.floor(column * gx / columns);
      if (program >= all) continue;
      const wave = Math.floor(program / together);
      svg.append(element("g", {}, element("title", {}, `program ${program}, wave ${wave + 1}`),
        element("rect", { x: column * cell, y: row * cell, width: cell - 1, height: cell - 1,
          fill: waveColours[wave % waveColours.length] })));
    }
  const how = launch.blocks < all
    ? `${count(launch.blocks)} blocks run them one after the other, all blocks at once.`
    : `${report.multiprocessors} SMs run ${launch.resident_blocks} blocks each at once (limited by ` +
      `${launch.residence_limit}): ${launch.waves.toFixed(2)} waves.`;
  const drawn = columns * rows < all ? ` ${count(columns * rows)} of ${count(all)} programs are drawn.` : "";
  figure("Programs, coloured by wave", svg, note(how + drawn));
}

// One request: where its 32 lanes lie, and the sectors that come.
function drawRequest(access) {
  const lanes = access.lanes_of_request.filter((offset) => offset >= 0);
  if (!lanes.length) return null;
  const sectors = [...new Set(lanes.flatMap((offset) => {
    const list = [];
    for (let at = Math.floor(offset / 32); at <= Math.floor((offset + access.bytes_of_lane - 1) / 32); ++at) list.push(at);
    return list;
  }))].sort((a, b) => a - b);
  const used = new Map(sectors.map((sector) => [sector, new Array(32).fill(-1)]));
  access.lanes_of_request.forEach((offset, lane) => {
    for (let at = offset; offset >= 0 && at < offset + access.bytes_of_lane; ++at) used.get(Math.floor(at / 32))[at % 32] = lane;
  });
  const across = 8, cell = 3, pitch = 32 * cell + 8, svg = picture(across / 2 * pitch + 10, Math.ceil(sectors.length / 4) * 22 + 6, "One request");
  sectors.forEach((sector, index) => {
    const x = index % 4 * pitch, y = Math.floor(index / 4) * 22;
    const group = element("g", {}, element("title", {}, `sector ${sector}: bytes ${32 * sector} to ${32 * sector + 31}`));
    used.get(sector).forEach((lane, at) => group.append(element("rect", { x: x + at * cell, y, width: cell, height: 16,
      fill: lane < 0 ? "#d55e00" : lane % 2 ? "#009e73" : "#33b894", "fill-opacity": lane < 0 ? 0.45 : 1 })));
    svg.append(group);
  });
  return element("div", {}, element("p", {}, `line ${lineOf(access)}, ${access.kind} of ${access.array}: one request, ${sectors.length} sectors`), svg,
    note("Green: bytes that lanes ask for, neighbours in two shades. Orange: bytes that come along."));
}

// Who holds what: elements by warp (colour) and lane (number).
function holders(layout) {
  const places = new Map(), reach = (bases, number) => bases.reduce((at, basis, bit) => number >> bit & 1 ? at.map((c, i) => c ^ basis[i]) : at, layout.shape.map(() => 0));
  for (let warp = 0; warp < 1 << layout.warp.length; ++warp)
    for (let lane = 0; lane < 32; ++lane)
      for (let register = 0; register < Math.min(1 << layout.register.length, 256); ++register) {
        const at = [[layout.warp, warp], [layout.lane, lane], [layout.register, register]].map(([bases, number]) => reach(bases, number))
          .reduce((a, b) => a.map((c, i) => c ^ b[i]));
        const key = at.join();
        if (!places.has(key)) places.set(key, [warp, lane, register]);
      }
  return places;
}
function drawHolders(access) {
  const layout = access.layout;
  if (!layout || layout.shape.length > 2) return null;
  const flat = layout.shape.length === 1, rows = flat ? Math.min(16, Math.ceil(layout.shape[0] / 32)) : Math.min(32, layout.shape[0]);
  const columns = flat ? Math.min(32, layout.shape[0]) : Math.min(32, layout.shape[1]), cell = 17, places = holders(layout);
  const svg = picture(columns * cell, rows * cell, "Who holds what");
  for (let row = 0; row < rows; ++row)
    for (let column = 0; column < columns; ++column) {
      const found = places.get(flat ? String(row * 32 + column) : `${row},${column}`);
      if (!found) continue;
      const [warp, lane, register] = found;
      svg.append(element("g", {}, element("title", {}, `warp ${warp}, lane ${lane}, register ${register}`),
        element("rect", { x: column * cell, y: row * cell, width: cell - 1, height: cell - 1, fill: waveColours[warp % 8], "fill-opacity": 0.55 }),
        element("text", { x: column * cell + 2, y: row * cell + 12, style: "font-size:9px" }, String(lane))));
    }
  return element("div", {}, element("p", {}, `line ${lineOf(access)}, ${access.kind} of ${access.array}: who holds the tile of ${layout.shape.join(" x ")}`), svg,
    note("Numbers: lanes. Colours: warps. The first 32 rows and columns are drawn" + (flat ? ", 32 elements in a row." : ".")));
}

function drawChosen() {
  const target = document.getElementById("chosen");
  target.replaceChildren();
  for (const access of report.accesses.filter((each) => lineOf(each) === chosen))
    for (const drawn of [drawRequest(access), drawHolders(access)])
      if (drawn) target.append(element("figure", {}, drawn));
  if (!target.children.length) target.append(note("No access of threads stands in this line: choose another one in the source."));
}

function drawTables() {
  table("accesses", ["line", "what", "array", "requests", "sectors", "least", "a lane", "asked", "loses"], report.accesses.map((a) =>
    [lineOf(a), String(lineOf(a) || "-"), a.kind, a.array, count(a.requests), count(a.sectors), count(a.least_sectors), a.bytes_of_lane ? `${a.bytes_of_lane} B` : "box", bytes(a.bytes), share(a.lost_seconds)]));
  table("shared", ["line", "what", "requests", "wavefronts", "least", "barriers", "loses"], report.shared.map((s) =>
    [lineOf(s), String(lineOf(s) || "-"), s.kind, count(s.requests), count(s.wavefronts), count(s.least_wavefronts), count(s.barriers), share(s.lost_seconds)]));
  table("arrays", ["array", "has", "read", "written", "asked of L2", "of memory", "each byte"], report.arrays.map((a) =>
    [0, a.name, bytes(a.bytes), bytes(a.read_bytes), bytes(a.written_bytes), bytes(a.asked_bytes), bytes(a.memory_bytes), `${a.reuse.toFixed(1)} times`]));
}

function drawHead() {
  document.title = `${report.kernel} on ${report.card}`;
  document.getElementById("title").append(`${report.kernel}: ${time(launch.seconds)} predicted, bound by ${launch.bound}`);
  const registers = "registers" in launch ? `${launch.registers} registers${launch.spill_store_bytes + launch.spill_load_bytes ? ", spilled" : ""}, ` : "";
  document.getElementById("head").append(`${report.target} on ${report.card}; grid ${report.grid.join(" x ")}, ${count(report.programs)} programs of ` +
    `${launch.threads} threads; ${registers}${bytes(launch.shared_bytes)} of shared memory; ${(100 * launch.occupancy).toFixed(0)} % of an SM's threads; ` +
    `${bytes(launch.memory_bytes)} of memory, ${bytes(launch.l2_bytes)} of L2`);
  for (const text of report.notes) document.getElementById("notes").append(note(text));
}

drawHead();
drawAdvice();
drawSource();
drawBounds();
drawRoofline();
drawWaves();
drawTables();
const worst = [...report.accesses].sort((a, b) => b.lost_seconds - a.lost_seconds)[0];
choose(worst ? lineOf(worst) : 0);
