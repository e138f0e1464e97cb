// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured: time by line; on a GPU when blocks ran on which multiprocessor, and what the warps of some of them did and waited for.
"use strict";

const measuredName = (line) => `${line.what}${lineOf(line) ? `, line ${lineOf(line)}${line.place.last_line > lineOf(line) ? `-${line.place.last_line}` : ""}` : ""}`;
const sharePercent = (share) => `${(100 * share).toFixed(1)} %`;

function drawMeasuredLines(view) {
  const { profile } = view.report, lines = profile.lines.filter((line) => line.share >= 0.0005), isCpu = profile.threads > 0;
  const head = element("tr", {}, ...["line", "share", "time", isCpu ? "in a launch" : "of a warp", isCpu ? "seen" : "times", "what"].map((text) => element("th", { scope: "col", class: text === "what" ? "text" : "number" }, text)));
  const made = element("table", { "aria-label": "Measured time by line" }, head);
  for (const line of lines) {
    const kind = line.waits ? "waits" : "works", own = lineOf(line);
    const bar = picture(120, 10, `${sharePercent(line.share)}, ${kind}`);
    bar.append(element("rect", { x: 0, y: 0, width: Math.max(1, 120 * line.share), height: 10, fill: line.waits ? "#fff" : colours.good, stroke: line.waits ? colours.waste : "none",
      "stroke-dasharray": line.waits ? "3 2" : "none" }));
    made.append(view.selectable(element("tr", {}, element("td", {}, lineText(line)), element("td", {}, sharePercent(line.share)), element("td", {}, bar),
      element("td", {}, time(line.seconds)), element("td", {}, count(line.count)), element("td", { class: "text" }, `${line.fetches ? "(the warp that fetches) " : ""}${line.meaning}`)), own));
  }
  return made;
}

// Of each multiprocessor a row; blocks are bars in it.
function drawBlocks(profile) {
  const rows = [...new Set(profile.blocks.map((block) => block[1]))].sort((a, b) => a - b), end = Math.max(...profile.blocks.map((block) => block[3]));
  const height = Math.max(3, Math.min(16, Math.floor(660 / rows.length))), canvas = element("canvas", { width: 1100, height: height * rows.length, role: "img",
    "aria-label": `${profile.blocks.length} blocks on ${rows.length} multiprocessors in ${time(end)}` });
  const context = canvas.getContext("2d"), rowOf = new Map(rows.map((name, row) => [name, row]));
  profile.blocks.forEach(([number, multiprocessor, begin, finish]) => {
    context.fillStyle = number % 2 ? colours.light : colours.cache;
    context.fillRect(begin / end * 1100, rowOf.get(multiprocessor) * height, Math.max(1, (finish - begin) / end * 1100 - 0.5), height - 1);
  });
  return figure(`Blocks on multiprocessors: one row each, from 0 to ${time(end)}`, canvas);
}

function drawWarps(view, block) {
  const { profile } = view.report, intervals = profile.intervals.filter((each) => each[0] === block), warps = [...new Set(intervals.map((each) => each[1]))].sort((a, b) => a - b);
  const begin = Math.min(...intervals.map((each) => each[3])), end = Math.max(...intervals.map((each) => each[4])), x = (at) => 60 + (at - begin) / Math.max(end - begin, 1e-12) * 1030;
  const svg = element("svg", { viewBox: `0 0 1100 ${22 * warps.length + 16}`, width: 1100, height: 22 * warps.length + 16, role: "group",
    "aria-label": `Block ${block}, as measured` });
  warps.forEach((warp, row) => {
    svg.append(element("text", { x: 2, y: 22 * row + 14, class: "small" }, `warp ${warp}`));
    let seen = new Set();
    for (const [, , index, from, to] of intervals.filter((each) => each[1] === warp)) {
      const line = profile.lines[index], label = `${measuredName(line)}: ${line.meaning}, ${time(to - from)} from ${time(from)} on`;
      const group = element("g", { class: line.waits ? "span wait" : "span", role: "button", "aria-label": label }, element("title", {}, label),
        element("rect", { x: x(from), y: 22 * row + 2, width: Math.max(0.8, x(to) - x(from)), height: 17, fill: line.waits ? "#fff" : line.fetches ? colours.light : "#e3f4ee",
          stroke: line.waits ? colours.waste : "#666", "stroke-dasharray": line.waits ? "3 2" : "none" }));
      const letters = Math.floor((x(to) - x(from) - 6) / 6.5);
      if (letters > 3) group.append(element("text", { x: x(from) + 3, y: 22 * row + 14, class: "small" }, measuredName(line).slice(0, letters)));
      svg.append(onceByKeys(view.selectable(group, lineOf(line)), row > 0 || seen.has(index)));
      seen.add(index);
    }
  });
  svg.append(element("text", { x: 60, y: 22 * warps.length + 12, class: "small" }, time(begin)), element("text", { x: 1040, y: 22 * warps.length + 12, class: "small" }, time(end)));
  return svg;
}

function drawMeasured(view) {
  const { profile } = view.report;
  if (!profile) return null;
  const cost = profile.turns ? `${time(profile.seconds)} a launch, ${time(profile.profiled_seconds)} while it is measured (${sharePercent(profile.overhead)} more), medians of ${profile.turns} each by turns. `
    : "One launch. ";
  const seen = profile.threads ? `${profile.threads} threads, seen in the kernel ${count(profile.samples)} times. Dashed: nobody works.`
    : `Warps noted ${sharePercent(profile.recorded)} of their time and waited ${sharePercent(profile.waits)} of it. Dashed with orange: waits.`;
  const content = [note(cost + seen), drawMeasuredLines(view)];
  if (profile.blocks.length) content.push(drawBlocks(profile));
  const noting = [...new Set((profile.intervals || []).map((each) => each[0]))];
  if (noting.length) {
    const chooser = element("select", { "aria-label": "Block" }, ...noting.map((block) => element("option", { value: block }, `block ${block}`)));
    const shown = element("div", {}, drawWarps(view, noting[0]));
    chooser.addEventListener("change", () => shown.replaceChildren(drawWarps(view, Number(chooser.value))));
    content.push(figure("Warps of a block over time, as measured", element("div", { class: "controls" }, chooser), shown));
  }
  return section(`Measured on ${profile.device}`, "measured", ...content, ...profile.notes.map(note));
}

// Of a profile without an analysis.
function drawProfileHead(view) {
  const { report } = view, { profile } = report, taken = profile.seconds || profile.lines.reduce((sum, line) => sum + line.seconds, 0);
  return element("header", {}, element("h1", {}, `${report.kernel}: ${time(taken)} measured`),
    element("p", {}, `${profile.device}; grid ${profile.grid.join(" x ")}, ${count(profile.blocks_launched)} programs`), view.status);
}
