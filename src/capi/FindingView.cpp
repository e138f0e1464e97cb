// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/FindingView.h"

namespace nereid::capi {

nereid_place toC(const Place &place) { return {place.file.c_str(), place.line, place.column}; }

FindingView::FindingView(const Finding &from) {
  for (const Finding::Note &note : from.notes)
    notes.push_back({note.text.c_str(), toC(note.place)});
  for (const Place &call : from.calls)
    calls.push_back(toC(call));
  finding.id = from.id.c_str();
  finding.text = from.text.c_str();
  finding.place = toC(from.place);
  finding.notes = notes.data();
  finding.note_count = notes.size();
  finding.calls = calls.data();
  finding.call_count = calls.size();
  addRun(from);
}

/// What a checked run adds.
void FindingView::addRun(const Finding &from) {
  finding.is_warning = from.isWarning;
  finding.count = from.count;
  finding.lane = from.lane;
  finding.array = from.array.c_str();
  finding.index = from.index;
  if (!from.program)
    return;
  finding.has_program = 1;
  finding.program[0] = from.program->x;
  finding.program[1] = from.program->y;
  finding.program[2] = from.program->z;
  if (!from.thread)
    return;
  finding.has_thread = 1;
  finding.thread[0] = from.thread->x;
  finding.thread[1] = from.thread->y;
  finding.thread[2] = from.thread->z;
}

} // namespace nereid::capi
