// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the prediction takes one program to do and to wait for over time, and what shared memory holds meanwhile.
"use strict";

const timelineLeft = 150, timelineWidth = 1100, timelineRow = 22;
const whoFills = { "warps": "#e3f4ee", "fetching warp": "#d9ecf7", "memory": colours.light, "tensor cores": colours.goodToo };

// Spans that overlap lie below one another, in up to so many rows; then in the last.
function inRows(spans, most) {
  const ends = [];
  return spans.map((span) => {
    let row = ends.findIndex((end) => end <= span.begin + 1e-12);
    if (row < 0) row = Math.min(ends.length, most - 1);
    ends[row] = Math.max(ends[row] || 0, span.end);
    return [span, row];
  });
}

// The tab key comes to the first of those that say the same of a line, not to hundreds.
function onceByKeys(group, isRepeated) {
  if (isRepeated && group.hasAttribute("tabindex")) group.setAttribute("tabindex", "-1");
  return group;
}

function drawSpans(view, svg, x, top) {
  const { flow, timeline } = view.report;
  for (const who of Object.keys(whoFills)) {
    const spans = timeline.spans.filter((span) => span.who === who);
    if (!spans.length) continue;
    const placed = inRows(spans, 8), rows = 1 + Math.max(...placed.map(([, row]) => row));
    svg.append(element("text", { x: 2, y: top + 15, class: "head" }, who === "warps" ? "warps that compute" : who));
    for (const [span, row] of placed) {
      const step = flow.steps[span.step], y = top + timelineRow * row + 2, width = Math.max(1, x(span.end) - x(span.begin));
      // What it waits for says itself where the step is a wait; otherwise it is what the step needs.
      const text = `${step.kind} ${step.what}`, waits = step.kind === "wait" ? `waits ${step.what}` : `waits before ${text}`;
      const label = `${where(step)}${span.is_wait ? waits : text}, time ${span.execution + 1}: ${time(span.begin)} to ${time(span.end)}`;
      const group = element("g", { class: span.is_wait ? "span wait" : "span", role: "button", "aria-label": label }, element("title", {}, label),
        element("rect", { x: x(span.begin), y, width, height: timelineRow - 5, rx: 2, fill: span.is_wait ? "#fff" : whoFills[who],
          stroke: span.is_wait ? colours.waste : "#666", "stroke-dasharray": span.is_wait ? "3 2" : "none" }));
      const letters = Math.floor((width - 6) / 6.5);
      if (letters > 3) group.append(element("text", { x: x(span.begin) + 3, y: y + 13, class: "small" }, (span.is_wait ? waits : text).slice(0, letters)));
      svg.append(onceByKeys(view.selectable(group, lineOf(step)), span.execution > 0));
    }
    top += timelineRow * rows + 6;
  }
  return top;
}

function drawHolds(view, svg, x, top) {
  const { flow, timeline } = view.report;
  flow.rooms.forEach((room, number) => {
    const holds = timeline.holds.filter((hold) => hold.room === number);
    if (!holds.length) return;
    const title = `${room.what}, ${room.slots} x ${bytes(room.bytes)}${lineOf(room) ? `, line ${lineOf(room)}` : ""}`;
    svg.append(element("text", { x: 2, y: top + 13, class: "head" }, title));
    let isFirst = true;
    top += 18;
    for (let slot = 0; slot < room.slots; ++slot, top += 14) {
      svg.append(element("text", { x: timelineLeft - 50, y: top + 11, class: "small" }, `slot ${slot}`),
        element("line", { x1: timelineLeft, x2: timelineWidth, y1: top + 12, y2: top + 12, stroke: "#eee" }));
      for (const hold of holds.filter((each) => each.slot === slot)) {
        const label = `${room.what}, slot ${slot}: on its way from ${time(hold.begin)}, there from ${time(hold.there)}, read until ${time(hold.end)}`;
        const there = x(hold.there), end = Math.max(there, x(hold.end)), group = element("g", { class: "hold", role: "button", "aria-label": label }, element("title", {}, label),
          element("rect", { x: x(hold.begin), y: top, width: Math.max(1, there - x(hold.begin)), height: 11, fill: "#fff", stroke: colours.cache, "stroke-dasharray": "3 2" }),
          element("rect", { x: there, y: top, width: Math.max(1, end - there), height: 11, fill: "#fdebd0", stroke: "#666" }));
        svg.append(onceByKeys(view.selectable(group, lineOf(room)), !isFirst));
        isFirst = false;
      }
    }
    top += 6;
  });
  return top;
}

// What passes through shared memory while threads exchange it, and has no room of its own.
const passesThrough = (step) => step.where === "shared memory" && !["wait", "release", "read", "write", "turn"].includes(step.kind);

function drawPassing(view, svg, x, top) {
  const { flow, timeline } = view.report, spans = timeline.spans.filter((span) => span.who !== "memory" && !span.is_wait && passesThrough(flow.steps[span.step]));
  if (!spans.length) return top;
  svg.append(element("text", { x: 2, y: top + 11, class: "head" }, "between threads"));
  for (const span of spans) {
    const step = flow.steps[span.step], label = `${where(step)}${step.kind} ${step.what}: lies in shared memory from ${time(span.begin)} to ${time(span.end)}`;
    const group = element("g", { class: "passing", role: "button", "aria-label": label }, element("title", {}, label),
      element("rect", { x: x(span.begin), y: top + 1, width: Math.max(1, x(span.end) - x(span.begin)), height: 11, fill: "#fdebd0", stroke: "#666" }));
    svg.append(onceByKeys(view.selectable(group, lineOf(step)), span.execution > 0));
  }
  return top + 20;
}

function drawTimeline(view) {
  const { report, launch } = view, { timeline, flow } = report;
  if (!timeline.spans.length || timeline.seconds <= 0) return section("One program over time", "timeline", note("The program does nothing that takes time."));
  const x = (seconds) => timelineLeft + seconds / timeline.seconds * (timelineWidth - timelineLeft - 8);
  const svg = element("svg", { role: "group", "aria-label": "One program over time, as predicted" });
  const below = drawSpans(view, svg, x, 20), held = flow.rooms.reduce((sum, room) => sum + room.slots * room.bytes, 0);
  const isShared = flow.rooms.length || flow.steps.some(passesThrough);
  if (isShared) svg.append(element("text", { x: 2, y: below + 12, class: "head" }, `shared memory: ${bytes(launch.shared_bytes)} of a block`));
  const bottom = isShared ? drawPassing(view, svg, x, drawHolds(view, svg, x, below + 18)) : below;
  for (const part of [0, 0.25, 0.5, 0.75, 1])
    svg.append(element("line", { x1: x(part * timeline.seconds), x2: x(part * timeline.seconds), y1: 14, y2: bottom, stroke: "#ddd", "stroke-dasharray": "2 4" }),
      element("text", { x: x(part * timeline.seconds) - (part === 1 ? 40 : 8), y: 11, class: "small" }, time(part * timeline.seconds)));
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${timelineWidth} ${bottom + 4}`, width: timelineWidth, height: bottom + 4 })) svg.setAttribute(name, value);
  const rest = launch.shared_bytes - held;
  const notes = ["Predicted, not measured: each part takes as long as its share of what the whole launch asks of it, while the other blocks of the SM take as much. Dashed with orange: waits. " +
    "Of shared memory: dashed while a tile is on its way, filled while it is there and read."];
  if (timeline.is_cut) notes.push("Of loops with many rounds the first ones are drawn.");
  if (flow.rooms.length && rest > 0) notes.push(`${bytes(rest)} of shared memory are for what threads exchange, barriers and alignment.`);
  return section("One program over time", "timeline", element("figure", {}, svg), ...notes.map(note));
}
