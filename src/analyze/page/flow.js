// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one program does, from loads to stores: a step in each row, in the column of where it happens.
"use strict";

const flowColumns = { "memory": 150, "shared memory": 360, "registers": 570 }, flowRow = 30, flowBox = 190, flowWidth = 760, loopHead = 16;
const edgeStyles = { "registers": { stroke: "#444" }, "shared memory": { stroke: colours.cache, "stroke-width": 2 }, "arrays": { stroke: "#888", "stroke-width": 2, "stroke-dasharray": "8 2" },
  "order": { stroke: colours.waste, "stroke-dasharray": "2 3" }, "next round": { stroke: "#7a5195", "stroke-dasharray": "6 3" } };

function drawLoops(svg, flow, yOf) {
  const depth = (number) => number < 0 ? 0 : 1 + depth(flow.loops[number].outer);
  const isInside = (number, loop) => number >= 0 && (number === loop || isInside(flow.loops[number].outer, loop));
  flow.loops.forEach((loop, number) => {
    const inside = flow.steps.map((step, index) => isInside(step.loop, number) ? index : -1).filter((index) => index >= 0);
    if (!inside.length) return;
    const x = 6 + 10 * depth(number), top = yOf(inside[0]) - 13, bottom = yOf(inside[inside.length - 1]) + 13;
    svg.append(element("rect", { x, y: top - loopHead, width: flowWidth - 2 * x, height: bottom - top + loopHead, rx: 6, fill: "#f4f4f4", stroke: "#bbb" }),
      element("text", { x: x + 4, y: top - loopHead + 12, class: "small" }, `${lineOf(loop) ? `line ${lineOf(loop)}: ` : ""}${loop.rounds.toFixed(loop.rounds % 1 ? 1 : 0)} rounds`));
  });
}

function drawEdges(svg, flow, yOf) {
  const edges = [];
  for (const edge of flow.edges) {
    const from = flow.steps[edge.from], to = flow.steps[edge.to], x1 = flowColumns[from.where], x2 = flowColumns[to.where], y1 = yOf(edge.from), y2 = yOf(edge.to);
    // Along a column around the steps between; to another one straight.
    const bend = x1 === x2 ? `C${x1 + flowBox / 2 + 14 + Math.min(40, Math.abs(y2 - y1) / 6)},${y1} ${x2 + flowBox / 2 + 14 + Math.min(40, Math.abs(y2 - y1) / 6)},${y2}` : null;
    const side = x1 < x2 ? 1 : -1;
    const d = bend ? `M${x1 + flowBox / 2},${y1} ${bend} ${x2 + flowBox / 2},${y2}`
      : `M${x1 + side * flowBox / 2},${y1} C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2} ${x2 - side * flowBox / 2},${y2}`;
    const path = element("path", { d, fill: "none", class: "edge", "marker-end": "url(#arrow)", ...edgeStyles[edge.through] }, element("title", {}, `${from.kind} ${from.what} to ${to.kind} ${to.what}: ${edge.through}`));
    edges.push([edge, path]);
    svg.append(path);
  }
  return edges;
}

const stepFills = { memory: "#d9ecf7", "shared memory": "#fdebd0", registers: "#e3f4ee" };
function drawStep(view, step, y) {
  const x = flowColumns[step.where] - flowBox / 2, isWait = step.kind === "wait" || step.kind === "release", text = `${step.kind} ${step.what}`;
  const box = element("rect", { x, y: y - 11, width: flowBox, height: 22, rx: isWait ? 11 : 3, fill: isWait ? "#fff" : stepFills[step.where],
    stroke: isWait ? colours.waste : "#666", "stroke-dasharray": step.is_of_producer ? "4 2" : "none" });
  const barriers = step.barriers ? element("text", { x: x + flowBox + 4, y: y + 4, class: "small barrier" }, `\u2016 ${step.barriers}`) : null;
  const label = `${where(step)}${text}${step.is_of_producer ? ", by a warp of its own" : ""}, ${step.times.toFixed(step.times % 1 ? 1 : 0)} times` +
    (step.barriers ? `, ${step.barriers} barriers each time` : "");
  const group = element("g", { class: "step", role: "button", "aria-label": label }, box,
    element("text", { x: x + 6, y: y + 4 }, text.length > 31 ? `${text.slice(0, 30)}\u2026` : text), barriers, element("title", {}, label));
  return view.selectable(group, lineOf(step));
}

function drawFlow(view) {
  const flow = view.report.flow, most = 120;
  if (!flow.steps.length) return section("Data flow of one program", "flow", note("The program moves no data."));
  const shown = { ...flow, steps: flow.steps.slice(0, most), edges: flow.edges.filter((edge) => edge.from < most && edge.to < most) };
  // Where a loop begins there is a line more, which says how often it is run.
  const places = [], entered = new Set();
  let next = 46;
  for (const step of shown.steps) {
    for (let loop = step.loop; loop >= 0 && !entered.has(loop); loop = flow.loops[loop].outer) { entered.add(loop); next += loopHead; }
    places.push(next);
    next += flowRow;
  }
  const yOf = (index) => places[index], svg = element("svg", { viewBox: `0 0 ${flowWidth} ${next}`, width: flowWidth, height: next, role: "group", "aria-label": "Data flow of one program" }, element("defs", {}, element("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8,
    markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, element("path", { d: "M0,0 L8,4 L0,8 z", fill: "#444" }))));
  for (const [name, x] of Object.entries(flowColumns)) svg.append(element("text", { x: x - 40, y: 16, class: "head" }, name === "memory" ? "arrays" : name));
  drawLoops(svg, shown, yOf);
  const edges = drawEdges(svg, shown, yOf);
  shown.steps.forEach((step, index) => svg.append(drawStep(view, step, yOf(index))));
  view.on((chosen, what) => {
    if (what.has("line")) for (const [edge, path] of edges) path.classList.toggle("picked", [edge.from, edge.to].some((number) => lineOf(shown.steps[number]) === chosen.line));
  });
  const style = (through) => element("svg", { width: 34, height: 10, class: "legend" }, element("line", { x1: 2, x2: 32, y1: 5, y2: 5, ...edgeStyles[through] }));
  const legend = element("p", { class: "note" });
  for (const [through, text] of [["registers", "through registers"], ["shared memory", "through shared memory"], ["arrays", "through an array"], ["order", "waits"], ["next round", "to the next round"]])
    legend.append(style(through), `${text}  `);
  legend.append("\u2014 Round boxes wait or release; dashed ones are a warp's of its own; \u2016 2: two barriers of the block.");
  return section("Data flow of one program", "flow", element("figure", {}, svg, legend),
    flow.steps.length > most ? note(`The first ${most} of ${flow.steps.length} steps are drawn.`) : null);
}
