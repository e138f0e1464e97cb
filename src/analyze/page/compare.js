// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two reports: what differs, above both side by side.
"use strict";

const sectionNames = { launch: "The launch", time: "Each part alone", arrays: "Arrays", lines: "By line (as it is, and as few as possible)",
  instructions: "Instructions of warps" };

function drawDifferences(page, views) {
  const only = element("input", { type: "checkbox", id: "only" }), made = element("table", { class: "differences" },
    element("tr", {}, ...["", "first", "second", "second / first"].map((text) => element("th", { scope: "col" }, text))));
  let before = "";
  for (const row of page.differences) {
    if (row.section !== before) made.append(element("tr", { class: "group" }, element("th", { colspan: 4, scope: "rowgroup" }, sectionNames[before = row.section])));
    const line = /^line (\d+):/.exec(row.section === "lines" ? row.name : ""), drawn = element("tr", { class: row.differs ? "differs" : "same" },
      ...[`${row.differs ? "\u2260 " : ""}${row.name}`, row.first || "-", row.second || "-", row.differs && row.ratio > 0 ? row.ratio.toFixed(2) : ""].map((text) => element("td", {}, text)));
    made.append(line ? views[0].selectable(drawn, Number(line[1])) : drawn);
  }
  only.addEventListener("change", () => made.classList.toggle("only", only.checked));
  return section("What differs", "differences", element("label", {}, only, " only what differs"), made);
}

function drawComparison(page) {
  const [a, b] = page.reports, sides = element("div", { class: "sides" }), views = page.reports.map((report) => drawView(report, element("div", { class: "side" })));
  sides.append(...views.map((view) => view.root));
  // Of one kernel, a line is the same line on both sides; programs and lanes are chosen on each.
  if (a.text === b.text && a.kernel === b.kernel && a.first_line === b.first_line)
    views.forEach((view, number) => view.on((chosen, what) => { if (what.has("line")) views[1 - number].choose({ line: chosen.line }); }));
  const ratio = b.launch.seconds / a.launch.seconds;
  document.title = `${a.kernel} and ${b.kernel}`;
  const differences = drawDifferences(page, views);
  document.body.prepend(element("h1", {}, `${a.kernel} and ${b.kernel}: ${time(a.launch.seconds)} and ${time(b.launch.seconds)} predicted`),
    element("p", {}, `The second takes ${ratio.toFixed(2)} of the first's time.`), differences, sides);
  views[0].on((chosen, what) => {
    if (what.has("line")) for (const row of differences.querySelectorAll("[data-line]")) row.classList.toggle("chosen", Number(row.dataset.line) === chosen.line);
  });
  return views;
}
