// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

function drawTables(view) {
  const { report, launch } = view, share = (seconds) => seconds > 0 ? percent(seconds / launch.seconds) : "", some = (number) => number ? count(number) : "", made = [];
  const add = (title, part, head, rows) => { if (rows.length) made.push(section(title, part, table(head, rows, view))); };
  add("Accesses to arrays", "accesses", ["line", "what", "array", "requests", "sectors", "least", "a lane", "asked", "loses"], report.accesses.map((a) =>
    [lineOf(a), lineText(a), a.kind, a.array, count(a.requests), count(a.sectors), count(a.least_sectors), a.bytes_of_lane ? `${a.bytes_of_lane} B` : "box", bytes(a.bytes), share(a.lost_seconds)]));
  add("Shared memory and barriers", "shared", ["line", "what", "requests", "wavefronts", "least", "barriers", "of warps", "mbarriers", "loses"], report.shared.map((s) =>
    [lineOf(s), lineText(s), s.kind, some(s.requests), some(s.wavefronts), s.requests ? count(s.least_wavefronts) : "", some(s.barriers), some(s.warp_barriers), some(s.mbarriers), share(s.lost_seconds)]));
  const units = report.instructions.length ? Object.keys(report.instructions[0]).filter((name) => name !== "place" && report.instructions.some((each) => each[name])) : [];
  add(`Instructions of warps, of ${report.instructions_of}`, "instructions", ["line", ...units.map((name) => report.units[name])], report.instructions.map((each) =>
    [lineOf(each), lineText(each), ...units.map((name) => count(each[name]))]));
  add("Arrays", "arrays", ["array", "has", "read", "written", "asked of L2", "of memory", "each byte"], report.arrays.map((a) =>
    [0, a.name, bytes(a.bytes), bytes(a.read_bytes), bytes(a.written_bytes), bytes(a.asked_bytes), bytes(a.memory_bytes), `${a.reuse.toFixed(1)} times`]));
  return made;
}
