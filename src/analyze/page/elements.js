// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the page is built of. Texts go into it as text nodes alone: what a kernel or an array is called cannot become part of it.
"use strict";

const svgNames = new Set(["svg", "rect", "line", "text", "path", "circle", "g", "title", "defs", "marker"]);
function element(name, attributes = {}, ...children) {
  const made = svgNames.has(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

function scaled(value, units, step = 1000) {
  let unit = 0;
  while (Math.abs(value) >= step && unit + 1 < units.length) { value /= step; ++unit; }
  return `${value.toFixed(value < 10 && unit ? 1 : 0)} ${units[unit]}`;
}
const bytes = (value) => scaled(value, ["B", "kB", "MB", "GB", "TB"]);
const rate = (value) => scaled(value, ["", "k", "M", "G", "T", "P"]);
const count = (value) => value.toLocaleString("en");
const percent = (share) => `${(100 * share).toFixed(0)} %`;
function time(seconds) {
  return seconds < 1e-6 ? `${(seconds * 1e9).toFixed(0)} ns` : seconds < 1e-3 ? `${(seconds * 1e6).toFixed(1)} us`
    : seconds < 1 ? `${(seconds * 1e3).toFixed(2)} ms` : `${seconds.toFixed(2)} s`;
}
// Lines are of the kernel's own file; what stands in another has that one's name.
function markElsewhere(part, file) {
  if (part === null || typeof part !== "object") return;
  if (part.place) part.place.isElsewhere = part.place.file !== file;
  for (const each of Object.values(part)) markElsewhere(each, file);
}
const lineOf = (entry) => entry.place && !entry.place.isElsewhere ? entry.place.line : 0;
const lineText = (entry) => lineOf(entry) ? String(lineOf(entry)) : entry.place?.line ? `${entry.place.file.split("/").pop()}:${entry.place.line}` : "-";
const placeText = (entry) => `${lineOf(entry) ? "line " : ""}${lineText(entry)}`;
const where = (entry) => lineOf(entry) ? `line ${lineOf(entry)}, ` : "";

// Okabe and Ito's colours, which colour-blind people tell apart.
const colours = { good: "#009e73", goodToo: "#33b894", waste: "#d55e00", cache: "#0072b2", light: "#56b4e9", warn: "#e69f00", ink: "#1a1a1a" };
const manyColours = ["#56b4e9", "#e69f00", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999"];

function picture(width, height, label, attributes = {}) {
  return element("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, ...attributes });
}
const note = (text) => element("p", { class: "note" }, text);
function figure(caption, ...content) {
  return element("figure", { "data-figure": caption }, element("figcaption", {}, caption), ...content);
}
function section(title, part, ...content) {
  return element("section", { "data-part": part, "aria-label": title }, element("h2", {}, title), ...content);
}

// A mouse's click, and Enter or the space bar on what has the focus.
function onChoice(target, choose) {
  target.addEventListener("click", choose);
  target.addEventListener("keydown", (event) => {
    if (event.target === target && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); choose(event); }
  });
}

// Columns of words stand to the left, as the first one does.
function table(head, rows, view) {
  const wordColumns = new Set(["what", "array"]), sideOf = (index) => wordColumns.has(head[index]) ? { class: "text" } : {};
  const made = element("table", {}, element("tr", {}, ...head.map((text, index) => element("th", { scope: "col", ...sideOf(index) }, text))));
  for (const [line, ...cells] of rows) {
    const row = element("tr", {}, ...cells.map((cell, index) => element("td", sideOf(index), cell)));
    made.append(view ? view.selectable(row, line) : row);
  }
  return made;
}
