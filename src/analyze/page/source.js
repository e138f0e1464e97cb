// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What would be faster, and the kernel's text with each line's counts beside it.
"use strict";

function badges(report, line) {
  const list = [], badge = (kind, text) => list.push(element("span", { class: `badge ${kind}` }, text));
  for (const access of report.accesses.filter((each) => lineOf(each) === line)) {
    const of = (sectors) => (access.requests ? sectors / access.requests : 0).toFixed(1), wasted = access.sectors > access.least_sectors;
    badge(wasted ? "waste" : "good",
      `${wasted ? "\u2716" : "\u2714"} ${access.kind} ${access.array}: ${of(access.sectors)}${wasted ? ` of ${of(access.least_sectors)}` : ""} sectors`);
  }
  for (const entry of report.shared.filter((each) => lineOf(each) === line)) {
    const conflicts = entry.wavefronts > entry.least_wavefronts;
    if (entry.requests) badge(conflicts ? "warn" : "cache", `${conflicts ? "\u26a0 conflicts " : ""}shared ${(entry.wavefronts / entry.requests).toFixed(1)} wavefronts`);
    if (entry.barriers) badge("cache", `${count(entry.barriers)} barriers`);
    if (entry.warp_barriers) badge("cache", `${count(entry.warp_barriers)} barriers of warps`);
    if (entry.mbarriers) badge("cache", `${count(entry.mbarriers)} mbarriers`);
  }
  for (const exchange of report.exchanges.filter((each) => lineOf(each) === line && each.through !== "shared memory"))
    badge("good", exchange.through === "shuffles" ? `\u21c4 ${exchange.what} by shuffles` : `${exchange.what} in other registers`);
  for (const product of report.products.filter((each) => lineOf(each) === line)) badge("cache", `${count(product.count)} ${product.instruction}`);
  for (const measured of measuredLines(report).filter((each) => lineOf(each) === line))
    badge(measured.waits ? "warn" : "good", `${(100 * measured.share).toFixed(1)} % ${measured.waits ? "waits: " : ""}${measured.what}`);
  return list;
}

const measuredLines = (report) => (report.profile?.lines || []).filter((line) => lineOf(line) && line.share >= 0.0005);

function drawSource(view) {
  const report = view.report, lines = report.text.split("\n"), known = new Set([...report.accesses, ...report.shared, ...report.exchanges, ...report.products, ...measuredLines(report)].map(lineOf).filter(Boolean));
  if (lines[lines.length - 1] === "") lines.pop();
  const first = known.size ? Math.max(report.first_line, Math.min(...known) - 12) : report.first_line, last = known.size ? Math.max(...known) + 3 : report.first_line + 200;
  const body = element("table", { role: "grid", "aria-label": "Source" });
  lines.forEach((text, index) => {
    const line = index + report.first_line;
    if (line < first || line > last) return;
    const has = known.has(line), row = element("tr", has ? { class: "has" } : {}, element("td", {}, String(line)), element("td", { class: "code" }, text),
      element("td", { class: "text" }, ...(has ? badges(report, line) : [])));
    body.append(has ? view.selectable(row, line) : row);
  });
  return section("Source", "source", note("A click on a line, or Enter, chooses it everywhere."), element("div", { class: "source" }, body));
}

function drawAdvice(view) {
  const list = element("ol", { class: "advice" });
  for (const advice of view.report.advice)
    list.append(view.selectable(element("li", {}, element("b", {}, `${percent(advice.gain)} `), advice.place ? `${placeText(advice)}: ${advice.cause}` : advice.cause,
      element("br"), `Better: ${advice.accept}`), lineOf(advice)));
  for (const remark of view.report.remarks)
    list.append(view.selectable(element("li", {}, `The compiler: ${remark.text}`, element("br"), `Better: ${remark.accepted}`), lineOf(remark)));
  if (!list.children.length) list.append(element("li", {}, "No loss above 3 % that has a name."));
  return section("What would be faster", "advice", list);
}

function drawHead(view) {
  const { report, launch } = view, spilled = launch.spill_store_bytes + launch.spill_load_bytes;
  const registers = "registers" in launch ? `${launch.registers} registers${spilled ? ", spilled" : ""}, ` : "";
  return element("header", {}, element("h1", {}, `${report.kernel}: ${time(launch.seconds)} predicted, bound by ${launch.bound}`),
    element("p", {}, `${report.target} on ${report.card}; grid ${report.grid.join(" x ")}, ${count(report.programs)} programs of ${launch.threads} threads; ` +
      `${registers}${bytes(launch.shared_bytes)} of shared memory; ${percent(launch.occupancy)} of an SM's threads; ${bytes(launch.memory_bytes)} of memory, ` +
      `${bytes(launch.l2_bytes)} of L2`));
}
