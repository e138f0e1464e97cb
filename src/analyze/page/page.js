// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

function drawView(report, root) {
  const view = new View(report, root);
  root.append(drawHead(view), drawAdvice(view), drawSource(view), drawChosen(view), drawTouches(view), drawFlow(view), drawTimeline(view), drawLaunch(view), ...drawTables(view),
    element("div", { class: "notes" }, ...report.notes.map(note)));
  return view;
}

const page = JSON.parse(document.getElementById("report").textContent);
const views = page.reports.length > 1 ? drawComparison(page) : [drawView(page.reports[0], element("main"))];
if (views.length === 1) {
  document.title = `${page.reports[0].kernel} on ${page.reports[0].card}`;
  document.body.prepend(views[0].root);
}
for (const view of views) {
  const worst = [...view.report.accesses].sort((a, b) => b.lost_seconds - a.lost_seconds)[0];
  if (worst && !view.chosen.line) view.choose({ line: lineOf(worst) });
  view.say();
}
