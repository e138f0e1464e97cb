// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch as a whole: what each part takes alone, the roofline, programs by wave.
"use strict";

function drawBounds(view) {
  const { report, launch } = view, rows = report.bounds.filter((bound) => bound.seconds > launch.seconds / 500);
  const most = Math.max(launch.seconds, ...rows.map((bound) => bound.seconds)), width = 420, svg = picture(width + 230, 24 * rows.length + 34, "Time that each part takes alone");
  const x = (seconds) => 130 + seconds / most * (width - 130);
  rows.forEach((bound, index) => {
    const y = 24 * index + 4;
    svg.append(element("text", { x: 0, y: y + 13 }, bound.name),
      element("rect", { x: 130, y, width: Math.max(1, x(bound.seconds) - 130), height: 18, fill: index ? colours.light : colours.cache }, element("title", {}, bound.amount)),
      // What nothing else hides: the end of the bar, since the rest goes on beside the others.
      element("rect", { x: x(Math.max(0, bound.seconds - bound.exposed_seconds)), y: y + 13, width: x(Math.min(bound.seconds, bound.exposed_seconds)) - 130, height: 5, fill: colours.waste, class: "exposed" },
        element("title", {}, `${time(bound.exposed_seconds)} of the prediction would be gone without it`)),
      element("text", { x: x(bound.seconds) + 5, y: y + 13 }, `${time(bound.seconds)}${bound.exposed_seconds > launch.seconds / 100 ? `, ${percent(bound.exposed_seconds / launch.seconds)} of the time` : ""}`));
  });
  const end = x(launch.seconds);
  svg.append(element("line", { x1: end, x2: end, y1: 0, y2: 24 * rows.length + 4, stroke: colours.waste, "stroke-dasharray": "4 3" }),
    element("text", { x: Math.min(end, width - 40) - 60, y: 24 * rows.length + 20 }, `predicted ${time(launch.seconds)}`));
  return figure("Time: each part of the card alone", svg,
    note("Orange below a bar, and the percentage: what of it nothing else hides, which is what the prediction would lose without it."));
}

// Each level of memory has its own slope and its own point: FLOP for each byte that it is asked for. Units are level.
const roofColours = { "memory": colours.cache, "L2": "#7a5195", "shared memory": "#8c6d1f" };
function drawRoofline(view) {
  const launch = view.launch, reached = launch.flops / launch.seconds, roofs = launch.ceilings.filter((roof) => roof.is_of_bytes), units = launch.ceilings.filter((roof) => !roof.is_of_bytes);
  const intensityOf = (roof) => Math.max(launch.flops / roof.bytes, 1 / 64), most = Math.max(...units.map((unit) => unit.rate)), least = Math.min(...units.map((unit) => unit.rate));
  const points = [launch.intensity || 1 / 64, ...roofs.map(intensityOf)], slowest = Math.min(launch.peak_bytes, ...roofs.map((roof) => roof.rate));
  const low = Math.min(1 / 16, ...points.map((each) => each / 4)), high = Math.max(most / slowest * 8, ...points.map((each) => each * 4)), width = 520, height = 280;
  const top = most * 2, bottom = Math.min(low * slowest, reached || top, least) / 2;
  const x = (value) => 50 + Math.log(value / low) / Math.log(high / low) * (width - 60);
  const y = (value) => height - 30 - Math.log(Math.max(value, bottom) / bottom) / Math.log(top / bottom) * (height - 40);
  const svg = picture(width, height, `Roofline: ${launch.intensity.toFixed(2)} FLOP for each byte, ${rate(reached)}FLOP a second; ceilings: ${launch.ceilings.map((roof) => `${roof.name} ${rate(roof.rate)}${roof.is_of_bytes ? "B" : "FLOP"}/s`).join(", ")}`);
  for (let decade = Math.ceil(Math.log10(low)); decade <= Math.log10(high); ++decade)
    svg.append(element("line", { x1: x(10 ** decade), x2: x(10 ** decade), y1: 10, y2: height - 30, stroke: "#eee" }),
      element("text", { x: x(10 ** decade) - 8, y: height - 16 }, decade < 0 ? (10 ** decade).toFixed(-decade) : count(10 ** decade)));
  for (let decade = Math.ceil(Math.log10(bottom)); decade <= Math.log10(top); ++decade)
    svg.append(element("line", { x1: 50, x2: width - 10, y1: y(10 ** decade), y2: y(10 ** decade), stroke: "#eee" }),
      element("text", { x: 2, y: y(10 ** decade) + 4 }, rate(10 ** decade)));
  for (const unit of units)
    svg.append(element("line", { x1: x(Math.max(low, unit.rate / Math.max(...roofs.map((roof) => roof.rate), slowest))), x2: width - 10, y1: y(unit.rate), y2: y(unit.rate), stroke: "#444", "stroke-width": 1.5, class: "ceiling" },
      element("title", {}, `${unit.name}: ${rate(unit.rate)}FLOP/s`)),
      element("text", { x: width - 12, y: y(unit.rate) - 3, "text-anchor": "end", class: "small" }, unit.name));
  roofs.forEach((roof, index) => {
    const bend = Math.min(high, most / roof.rate), colour = roofColours[roof.name], intensity = intensityOf(roof);
    svg.append(element("path", { d: `M${x(low)},${y(low * roof.rate)} L${x(bend)},${y(bend * roof.rate)}`, fill: "none", stroke: colour, "stroke-width": 2, class: "ceiling", "stroke-dasharray": ["none", "7 3", "2 3"][index] },
      element("title", {}, `${roof.name}: ${rate(roof.rate)}B/s`)));
    if (launch.flops > 0)
      svg.append(element("circle", { cx: x(intensity), cy: y(reached), r: 5, fill: colour, class: "reached" },
        element("title", {}, `${roof.name}: ${intensity.toFixed(2)} FLOP for each byte, ${percent(Math.min(1, reached / Math.min(most, intensity * roof.rate)))} of what is possible there`)));
  });
  svg.append(element("text", { x: width - 200, y: height - 2 }, "FLOP for each byte asked for"));
  const legend = element("p", { class: "note" });
  roofs.forEach((roof, index) => legend.append(element("svg", { width: 34, height: 10, class: "legend" },
    element("line", { x1: 2, x2: 32, y1: 5, y2: 5, stroke: roofColours[roof.name], "stroke-width": 2, "stroke-dasharray": ["none", "7 3", "2 3"][index] })), `${roof.name}: ${rate(roof.rate)}B/s, ${bytes(roof.bytes)}${launch.flops > 0 ? `, ${intensityOf(roof).toFixed(2)} FLOP for each` : ""}  `));
  return figure("Roofline", svg, legend, note(launch.flops > 0 ? `A point for each level, at ${rate(reached)}FLOP/s.` : "The kernel computes nothing with floats."));
}

// Which programs run together: of a grid of one row in lines; of a large one, every so many-th program.
function drawWaves(view) {
  const { report, launch } = view, [gx, gy, gz] = report.grid, all = gx * gy * gz, isRow = gy === 1;
  const columns = Math.min(gx, 64), rows = isRow ? Math.min(32, Math.ceil(all / columns)) : Math.min(gy, 32);
  const together = report.multiprocessors * launch.resident_blocks, cell = Math.max(6, Math.min(20, Math.floor(420 / columns)));
  const svg = picture(columns * cell, rows * cell, "Programs by wave; arrow keys choose a program", { role: "application", tabindex: 0, class: "waves" }), cells = [];
  const programAt = (row, column) => isRow ? Math.floor((row * columns + column) * Math.max(1, all / (rows * columns)))
    : Math.floor(row * gy / rows) * gx + Math.floor(column * gx / columns);
  for (let row = 0; row < rows; ++row)
    for (let column = 0; column < columns; ++column) {
      const program = programAt(row, column);
      if (program >= all) continue;
      const wave = Math.floor(program / together), rect = element("rect", { x: column * cell, y: row * cell, width: cell - 1, height: cell - 1,
        fill: manyColours[wave % manyColours.length] }, element("title", {}, `program ${view.placeOf(program).join(", ")}, wave ${wave + 1}`));
      rect.addEventListener("click", () => view.choose({ program, round: 0 }));
      cells.push([program, rect]);
      svg.append(rect);
    }
  // Of programs that are left out, the one before them is marked.
  const mark = () => {
    const at = cells.reduce((best, [program], index) => program <= view.chosen.program ? index : best, 0);
    cells.forEach(([, rect], index) => rect.classList.toggle("picked", index === at));
    return at;
  };
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (!step) return;
    event.preventDefault();
    view.choose({ program: cells[Math.max(0, Math.min(cells.length - 1, mark() + step))][0], round: 0 });
  });
  if (cells.length) mark();
  view.on((chosen, what) => { if (what.has("program")) mark(); });
  const how = launch.blocks < all ? `${count(launch.blocks)} blocks run them one after the other, all blocks at once.`
    : `${report.multiprocessors} SMs run ${launch.resident_blocks} blocks each at once (limited by ${launch.residence_limit}): ${launch.waves.toFixed(2)} waves.`;
  const drawn = columns * rows < all ? ` ${count(columns * rows)} of ${count(all)} programs are drawn.` : "";
  const { place, times } = launch.longest_program;
  const unequal = times < 1.05 ? "" : ` Programs do unequally much: ${place.join(", ")} takes ${times.toFixed(1)} times what they take in the mean; until the last ends, SMs have one ${(100 * launch.time_at_work).toFixed(0)} % of the time.`;
  return figure("Programs, coloured by wave", svg, note(how + drawn + unequal));
}

function drawLaunch(view) {
  return section("The launch", "launch", element("div", { class: "pictures" }, drawBounds(view), drawRoofline(view), drawWaves(view)));
}
