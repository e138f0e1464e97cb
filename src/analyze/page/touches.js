// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements of the arrays a program touches, round by round.
"use strict";

// How an array is folded: as the argument has it, else at the longest stride that a tile of it shows.
function foldingOf(view, number) {
  const { report } = view, name = report.accesses[number].array, use = report.arrays.find((array) => array.name === name);
  if (!use) return null;
  const patterns = report.touches.programs.flatMap((program) => program.events)
    .filter((event) => event.pattern >= 0 && report.accesses[event.access].array === name).map((event) => report.touches.patterns[event.pattern]);
  const strides = patterns.flatMap((pattern) => pattern.strides.map(Math.abs)).filter(Boolean);
  const size = use.element_bytes || Math.min(4, ...strides), elements = Math.max(1, Math.ceil(use.bytes / size));
  let columns = use.shape.length > 1 ? use.shape[use.shape.length - 1] : 0;
  if (columns < 2) columns = Math.max(0, ...patterns.filter((pattern) => pattern.strides.filter(Boolean).length > 1).flatMap((pattern) => pattern.strides.map(Math.abs))) / size;
  if (columns < 2) columns = 2 ** Math.ceil(Math.log2(Math.sqrt(elements)));
  columns = Math.min(Math.floor(columns), elements);
  return { name, size, elements, columns, rows: Math.ceil(elements / columns), isShape: use.shape.length > 1 };
}

// Calls `draw(first element, count)` for each run of neighbours that the event touches.
function forEachRun(view, event, size, draw) {
  if (event.pattern < 0) {
    for (const offset of event.offsets) if (offset >= 0) draw(Math.floor(offset / size), 1);
    return;
  }
  const { strides, from, to } = view.report.touches.patterns[event.pattern], rank = strides.length;
  const along = strides.findIndex((stride) => Math.abs(stride) === size), length = along < 0 ? 1 : to[along] - from[along], at = [...from];
  for (let runs = 0; runs < 1 << 14; ++runs) {
    let place = event.base;
    for (let dim = 0; dim < rank; ++dim) place += strides[dim] * at[dim];
    const first = Math.floor(place / size);
    draw(along >= 0 && strides[along] < 0 ? first - length + 1 : first, length);
    let dim = rank - 1;
    for (; dim >= 0; --dim) {
      if (dim === along) continue;
      if (++at[dim] < to[dim]) break;
      at[dim] = from[dim];
    }
    if (dim < 0) return;
  }
}

// The elements of the tile that the chosen lane holds: by where they lie in the array.
function elementsOfLane(view, event, size) {
  const { warp, lane } = view.chosen, layout = view.report.accesses[event.access].layout;
  if (lane < 0 || !layout || event.pattern < 0) return [];
  const { strides, from, to, shape } = view.report.touches.patterns[event.pattern], rank = shape.length, list = [];
  const base = reach(layout.warp, Math.max(warp, 0), rank).map((c, i) => c ^ reach(layout.lane, lane, rank)[i]);
  for (let register = 0; register < Math.min(1 << layout.register.length, 512); ++register) {
    const at = reach(layout.register, register, rank).map((c, i) => c ^ base[i]);
    if (at.every((c, i) => c >= from[i] && c < to[i])) list.push(Math.floor((event.base + at.reduce((sum, c, i) => sum + c * strides[i], 0)) / size));
  }
  return list;
}

const kindColours = { load: colours.cache, copy: colours.cache, fetch: colours.cache, store: colours.waste, send: colours.waste, atomic: "#cc79a7" };

class ArrayPicture {
  constructor(view, number) {
    this.view = view;
    this.fold = foldingOf(view, number);
    const { rows, columns } = this.fold, shape = Math.max(0.2, Math.min(1, rows / columns));
    this.width = Math.max(64, Math.min(360, Math.round(rows > columns ? Math.max(90, 360 * columns / rows) : 360)));
    this.height = Math.max(24, Math.round(rows > columns ? 360 : 360 * shape));
    this.canvas = element("canvas", { width: 2 * this.width, height: 2 * this.height, style: `width:${this.width}px;height:${this.height}px`, role: "img" });
    this.canvas.addEventListener("click", (event) => this.pick(event.offsetX / this.width, event.offsetY / this.height));
    this.text = note("");
    const how = this.fold.isShape ? `${count(rows)} x ${count(columns)}` : `${count(this.fold.elements)} elements, ${count(columns)} in a row`;
    this.figure = figure(`${this.fold.name}: ${how}`, this.canvas, this.text);
  }

  isHere(event) { return this.view.report.accesses[event.access].array === this.fold.name; }

  paint(context, events, colour, alpha) {
    const { size, rows, columns } = this.fold, w = this.canvas.width / columns, h = this.canvas.height / rows;
    context.fillStyle = colour;
    context.globalAlpha = alpha;
    for (const event of events)
      forEachRun(this.view, event, size, (first, length) => {
        for (let at = first, end = first + length; at < end;) {
          const row = Math.floor(at / columns), part = Math.min(end, (row + 1) * columns) - at;
          context.fillRect(at % columns * w, row * h, Math.max(1.5, part * w), Math.max(1.5, h));
          at += part;
        }
      });
  }

  draw() {
    const { view, canvas } = this, context = canvas.getContext("2d"), rounds = view.rounds(), round = view.chosen.round;
    context.globalAlpha = 1;
    context.fillStyle = "#f4f4f4";
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const program of view.report.touches.programs.filter((each) => each !== view.shown()).slice(0, 16))
      this.paint(context, program.events.filter((event) => this.isHere(event)).slice(0, 8), "#888", 0.18);
    for (const events of rounds.slice(0, round)) this.paint(context, events.filter((event) => this.isHere(event)), colours.light, 0.35);
    const now = (rounds[round] || []).filter((event) => this.isHere(event)), isLine = (event) => lineOf(view.report.accesses[event.access]) === view.chosen.line;
    for (const event of now) this.paint(context, [event], kindColours[view.report.accesses[event.access].kind], isLine(event) ? 1 : 0.55);
    context.globalAlpha = 1;
    context.fillStyle = "#000";
    const { columns, rows, size } = this.fold, lanes = now.flatMap((event) => elementsOfLane(view, event, size));
    for (const at of lanes) context.fillRect(at % columns * canvas.width / columns - 2, Math.floor(at / columns) * canvas.height / rows - 2, 5, 5);
    this.say(now, lanes);
  }

  say(now, lanes) {
    const { columns } = this.fold, at = (element) => `[${count(Math.floor(element / columns))}, ${count(element % columns)}]`;
    const texts = now.map((event) => {
      let first = Infinity, last = -1, elements = 0;
      forEachRun(this.view, event, this.fold.size, (from, length) => { first = Math.min(first, from); last = Math.max(last, from + length - 1); elements += length; });
      const access = this.view.report.accesses[event.access], among = event.pattern < 0 && event.every > 1 ? `, 1 of ${event.every} looked at` : "";
      return `${where(access)}${access.kind}: ${count(elements)} elements from ${at(first)} to ${at(last)}${among}`;
    });
    if (lanes.length) texts.push(`the lane: ${lanes.slice(0, 4).map(at).join(" ")}${lanes.length > 4 ? ` and ${lanes.length - 4} more` : ""}`);
    this.text.textContent = texts.join("; ") || "not touched in this round";
    this.canvas.setAttribute("aria-label", `${this.fold.name}: ${this.text.textContent}`);
  }

  // The program that touches the place, and the line in which it does.
  pick(x, y) {
    const { columns, rows, size } = this.fold, slack = Math.max(1, columns / this.width), row = Math.floor(y * rows), column = x * columns;
    for (const program of this.view.report.touches.programs)
      for (const event of program.events.filter((each) => this.isHere(each))) {
        let isHit = false;
        forEachRun(this.view, event, size, (first, length) => {
          const from = first % columns;
          isHit ||= Math.abs(Math.floor(first / columns) - row) <= Math.max(0, rows / this.height / 2) && column >= from - slack && column <= from + length + slack;
        });
        if (isHit) { this.view.choose({ program: this.view.numberOf(program.at), line: lineOf(this.view.report.accesses[event.access]), round: 0 }); return; }
      }
  }
}

// Programs, lanes and rounds by keyboard, and the film.
function controls(view) {
  const { report } = view, warps = Math.max(1, ...report.accesses.map((access) => access.layout ? 1 << access.layout.warp.length : 1));
  const program = element("select", {}, ...report.touches.programs.map((each) => element("option", { value: view.numberOf(each.at) }, each.at.join(", "))));
  const number = (most, label) => element("input", { type: "number", min: -1, max: most, value: -1, "aria-label": label });
  const warp = number(warps - 1, "warp, -1 for all"), lane = number(31, "lane, -1 for all"), round = element("input", { type: "range", min: 0, value: 0, "aria-label": "round" });
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const back = element("button", { type: "button" }, "\u25c0 step"), forth = element("button", { type: "button" }, "step \u25b6"), play = element("button", { type: "button", class: "play" }, "play");
  let film = 0;
  const stop = () => { clearInterval(film); film = 0; play.textContent = "play"; };
  const step = (by) => view.choose({ round: Math.max(0, Math.min(view.rounds().length - 1, view.chosen.round + by)) });
  const start = () => {
    if (view.chosen.round >= view.rounds().length - 1) view.choose({ round: 0 });
    play.textContent = "stop";
    film = setInterval(() => { step(1); if (view.chosen.round >= view.rounds().length - 1) stop(); }, 500);
  };
  // Who asked their system for no motion steps by hand.
  if (isStill) { play.disabled = true; play.title = "your system asks for no motion: step instead"; }
  play.addEventListener("click", () => film ? stop() : start());
  back.addEventListener("click", () => step(-1));
  forth.addEventListener("click", () => step(1));
  round.addEventListener("input", () => view.choose({ round: Number(round.value) }));
  program.addEventListener("change", () => view.choose({ program: Number(program.value), round: 0 }));
  const whole = (input, most) => Math.max(-1, Math.min(most, Math.trunc(Number(input.value)) || 0));
  lane.addEventListener("change", () => view.choose({ lane: whole(lane, 31), warp: whole(lane, 31) < 0 ? -1 : Math.max(view.chosen.warp, 0) }));
  warp.addEventListener("change", () => view.choose({ warp: whole(warp, warps - 1) }));
  const show = () => {
    const shown = view.shown(), most = Math.max(0, view.rounds().length - 1);
    // One that is not in the list has a row of its own, as long as it is chosen.
    if (shown && ![...program.options].some((option) => option.value === String(view.numberOf(shown.at)))) {
      program.querySelector(".other")?.remove();
      program.append(element("option", { value: view.numberOf(shown.at), class: "other" }, shown.at.join(", ")));
    }
    if (shown) program.value = view.numberOf(shown.at);
    round.max = most;
    round.value = view.chosen.round;
    round.disabled = back.disabled = forth.disabled = most === 0;
    play.disabled = isStill || most === 0;
    lane.value = view.chosen.lane;
    warp.value = view.chosen.warp;
  };
  view.on(show);
  show();
  const labelled = (text, input) => element("label", {}, `${text} `, input);
  return element("div", { class: "controls" }, labelled("program", program), labelled("warp", warp), labelled("lane", lane), labelled("round", round), back, play, forth, view.status);
}

function drawTouches(view) {
  const { report } = view, first = new Map();
  for (const program of report.touches.programs) for (const event of program.events) if (!first.has(report.accesses[event.access].array)) first.set(report.accesses[event.access].array, event.access);
  if (!first.size) return section("Arrays, round by round", "touches", note("The programs that were looked at access no arrays."), view.status);
  const pictures = [...first.values()].map((number) => new ArrayPicture(view, number)).filter((each) => each.fold), about = note("");
  const draw = () => {
    for (const each of pictures) each.draw();
    const shown = view.shown(), isOther = view.numberOf(shown.at) !== view.chosen.program;
    about.textContent = (isOther ? `The page holds the accesses of ${report.touches.programs.length} programs; the nearest to the chosen one is drawn, ${shown.at.join(", ")}. ` : "") +
      (shown.is_cut ? `The first ${shown.events.length} of its accesses are drawn. ` : "") +
      "Dark: this round (blue: read, orange: written, pink: atomic); light: the rounds before; grey: other programs; black: the chosen lane. A click chooses the program and the line that touch a place.";
  };
  view.on(draw);
  draw();
  return section("Arrays, round by round", "touches", controls(view), element("div", { class: "pictures" }, ...pictures.map((each) => each.figure)), about);
}
