// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One report, and what is chosen of it: a line, a program, a lane of a warp, a round. Whoever draws listens.
"use strict";

class View {
  constructor(report, root) {
    this.report = report;
    this.launch = report.launch;
    this.root = root;
    this.chosen = { line: 0, program: 0, warp: -1, lane: -1, round: 0 };
    this.listeners = [];
    this.status = element("p", { class: "status", role: "status", "aria-live": "polite" });
  }

  // `draw` is called with what is chosen now, and with the names of what is other than before.
  on(draw) { this.listeners.push(draw); }

  choose(what) {
    const names = Object.keys(what).filter((name) => what[name] !== this.chosen[name]);
    if (!names.length) return;
    Object.assign(this.chosen, what);
    if (names.includes("line"))
      for (const row of this.root.querySelectorAll("[data-line]")) row.classList.toggle("chosen", Number(row.dataset.line) === this.chosen.line);
    for (const draw of this.listeners) draw(this.chosen, new Set(names));
    this.say();
  }

  say() {
    const { line, program, warp, lane, round } = this.chosen, at = this.placeOf(program);
    if (!this.launch) { this.status.textContent = line ? `line ${line}` : "no line"; return; }
    this.status.textContent = [line ? `line ${line}` : "no line", `program ${at.join(", ")}`, lane < 0 ? "all lanes" : `lane ${lane} of warp ${warp}`,
      `round ${round + 1} of ${this.rounds().length || 1}`].join("; ");
  }

  // A row or a shape that stands for a line.
  selectable(row, line) {
    if (!line) return row;
    row.dataset.line = line;
    row.setAttribute("tabindex", "0");
    onChoice(row, () => this.choose({ line }));
    return row;
  }

  placeOf(program) {
    const [x, y] = this.report.grid;
    return [program % x, Math.floor(program / x) % y, Math.floor(program / x / y)];
  }
  numberOf([x, y, z]) { return x + this.report.grid[0] * (y + this.report.grid[1] * z); }

  // What the chosen program accesses: as the page holds it, or as it follows from others; else the nearest program.
  shown() {
    const programs = this.report.touches.programs;
    if (!programs.length) return null;
    if (this.computed?.number === this.chosen.program) return this.computed.program;
    const isChosen = (program) => this.numberOf(program.at) === this.chosen.program;
    const program = programs.find(isChosen) || follow(programs, this.placeOf(this.chosen.program), this.report.grid) || this.nearest();
    this.computed = { number: this.chosen.program, program };
    return program;
  }

  nearest() {
    const programs = this.report.touches.programs;
    const far = (program) => Math.abs(this.numberOf(program.at) - this.chosen.program);
    return programs.reduce((best, program) => far(program) < far(best) ? program : best);
  }

  // Its accesses: a round ends where one of them comes again.
  rounds() {
    const program = this.shown();
    if (!program) return [];
    if (!program.rounds) {
      program.rounds = [];
      let seen = new Set();
      for (const event of program.events) {
        if (!program.rounds.length || seen.has(event.access)) { program.rounds.push([]); seen = new Set(); }
        seen.add(event.access);
        program.rounds[program.rounds.length - 1].push(event);
      }
    }
    return program.rounds;
  }

  accessesOf(line) { return this.report.accesses.filter((access) => lineOf(access) === line); }
}

// The accesses of the program at a place, where those of all programs that the page holds are alike but for where they begin, and
// that counts up with each coordinate; null where it does not.
function follow(programs, place, grid) {
  const kinds = (program) => program.events.map((event) => `${event.access} ${event.pattern}`).join();
  const isLast = (at) => at.some((c, axis) => grid[axis] > 1 && c === grid[axis] - 1), first = programs[0], own = kinds(first);
  if (first.at.some(Boolean) || first.events.some((event) => event.pattern < 0)) return null;
  // The last programs along an axis may be others: then nothing is known of those beside them.
  const others = programs.filter((program) => kinds(program) !== own);
  if (others.some((program) => !isLast(program.at)) || (others.length && isLast(place))) return null;
  const alike = programs.filter((program) => kinds(program) === own), steps = [0, 1, 2].map((axis) =>
    alike.find((program) => program.at.every((c, other) => c === (other === axis ? 1 : 0))));
  if (place.some((c, axis) => c > 0 && !steps[axis])) return null;
  const baseAt = (index, at) => at.reduce((sum, c, axis) => sum + (steps[axis] ? c * (steps[axis].events[index].base - first.events[index].base) : 0), first.events[index].base);
  const isLinear = alike.every((program) => program.at.every((c, axis) => c === 0 || steps[axis]) && program.events.every((event, index) => event.base === baseAt(index, program.at)));
  return isLinear ? { at: place, is_cut: first.is_cut, events: first.events.map((event, index) => ({ ...event, base: baseAt(index, place) })) } : null;
}

// Arrow keys walk through the lanes of a picture that shows them, page keys through the warps.
function walkLanes(svg, view, warps) {
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }, pages = { PageDown: 1, PageUp: -1 };
    let { warp, lane } = view.chosen;
    if (event.key === "Escape") { view.choose({ warp: -1, lane: -1 }); return; }
    if (event.key in steps) lane = (lane + steps[event.key] + (lane < 0 && steps[event.key] < 0 ? 33 : 32)) % 32;
    else if (event.key in pages) warp = (Math.max(warp, 0) + pages[event.key] + warps) % warps;
    else return;
    event.preventDefault();
    view.choose({ warp: Math.max(warp, 0), lane: Math.max(lane, 0) });
  });
}
