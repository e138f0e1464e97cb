// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

function drawView(report, root) {
  const view = new View(report, root);
  if (!report.launch) {
    root.append(drawProfileHead(view), drawMeasured(view), drawSource(view));
    return view;
  }
  root.append(drawHead(view), drawAdvice(view), drawSource(view), drawChosen(view), drawTouches(view), drawFlow(view), drawTimeline(view), ...[drawRooms(view)].filter(Boolean), ...[drawMeasured(view)].filter(Boolean), drawLaunch(view), ...drawTables(view),
    element("div", { class: "notes" }, ...report.notes.map(note)));
  return view;
}

const page = JSON.parse(document.getElementById("report").textContent);
for (const report of page.reports) markElsewhere(report, report.file);
const views = page.reports.length > 1 ? drawComparison(page) : [drawView(page.reports[0], element("main"))];
if (views.length === 1) {
  document.title = `${page.reports[0].kernel} on ${page.reports[0].card || page.reports[0].profile.device}`;
  document.body.prepend(views[0].root);
}
for (const view of views) {
  const slowest = view.report.profile?.lines.find(lineOf);
  const worst = [...view.report.accesses].sort((a, b) => b.lost_seconds - a.lost_seconds)[0] || slowest;
  if (worst && !view.chosen.line) view.choose({ line: lineOf(worst) });
  view.say();
}
