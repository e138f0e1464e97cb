// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/devices/CheckReport.h"

#include "dialect/tile/SourcePlace.h"
#include "frontend/ast/Ast.h"
#include "frontend/sema/HostScope.h"
#include "interpret/schedule/ThreadBlock.h"
#include "jit/Boundary.h"
#include "support/Excerpt.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdio>

namespace nereid::jit {

using interpret::AccessKind;
using interpret::DoubtKind;
using interpret::DoubtUse;
using interpret::ProgramId;

namespace {

/// Occurrences written out for each place; the rest is only counted.
constexpr uint64_t shownOccurrences = 10;
constexpr unsigned mostFindings = 100;

const char *nounOf(AccessKind access) {
  switch (access) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "write";
  case AccessKind::Atomic:
    return "atomic access";
  }
  return "access";
}

const char *verbOf(AccessKind access) {
  switch (access) {
  case AccessKind::Read:
    return "reads";
  case AccessKind::Write:
    return "writes";
  case AccessKind::Atomic:
    return "atomically changes";
  }
  return "touches";
}

const char *nounOf(DoubtUse use) {
  switch (use) {
  case DoubtUse::Store:
    return "what is stored";
  case DoubtUse::Branch:
    return "which way the program goes";
  case DoubtUse::Mask:
    return "the mask of an access";
  case DoubtUse::Address:
    return "the address of an access";
  }
  return "what it does";
}

/// "lane 3 of what is stored"
std::string laneText(const interpret::DoubtfulLane &lane) {
  std::string text = lane.isTile ? llvm::formatv("lane {0} of ", lane.lane).str() : "";
  return text + nounOf(lane.use);
}

std::string elementOf(const std::string &array, int64_t index) {
  return array.empty() ? "an address in no array" : llvm::formatv("{0}[{1}]", array, index).str();
}

/// The call that led to a place; null if it stands in the kernel itself.
mlir::CallSiteLoc callOf(mlir::Location location) {
  return llvm::dyn_cast<mlir::CallSiteLoc>(location);
}

FindingId idOf(DoubtKind kind) {
  switch (kind) {
  case DoubtKind::Undefined:
    return FindingId::undefined_value;
  case DoubtKind::Wrapped:
    return FindingId::wrapped_offset;
  case DoubtKind::DividedByZero:
    return FindingId::division_by_zero;
  case DoubtKind::BrokenPromise:
    return FindingId::misaligned_access;
  case DoubtKind::NotFinite:
    return FindingId::not_finite;
  }
  return FindingId::undefined_value;
}

/// The place in the text of a function that a running host gave, of those that a module names and
/// those that they name: functions of one file are texts of their own there.
class HostedPlaces {
public:
  explicit HostedPlaces(mlir::Location location) : location(location) {}

  SourceRange findIn(const ast::Module &module) {
    if (!module.host || !seen.insert(&module).second)
      return {};
    for (const auto &[name, value] : module.host->globals)
      if (SourceRange range = findIn(value); range.file)
        return range;
    return {};
  }

private:
  SourceRange findIn(const sema::HostValue &value) {
    if (const auto *function = value.as<sema::HostedFunction>()) {
      SourceRange range = tile::rangeOf(location, function->module->file);
      return range.file ? range : findIn(*function->module);
    }
    if (const auto *space = value.as<std::shared_ptr<const sema::HostNamespace>>())
      for (const auto &[name, member] : (*space)->members)
        if (SourceRange range = findIn(member); range.file)
          return range;
    return {};
  }

  mlir::Location location;
  llvm::SmallPtrSet<const ast::Module *, 8> seen;
};

} // namespace

std::string CheckReport::programText(ProgramId program) const {
  auto text = [](const char *noun, ProgramId id) {
    return llvm::formatv("{0} ({1}, {2}, {3})", noun, id.x, id.y, id.z).str();
  };
  if (!block)
    return text("program", program);
  interpret::ThreadPlace place = interpret::placeOf(program, *block);
  return text("thread", place.thread) + " of " + text("block", place.block);
}

/// A place inside the library stands for the call that led there from the kernel's own text.
mlir::Location CheckReport::ownPlaceOf(mlir::Location location) const {
  for (auto call = callOf(location); call && !source.modules.file(tile::fileOf(location)) &&
                                     !HostedPlaces(location).findIn(source.tree).file;
       call = callOf(location))
    location = call.getCaller();
  return location;
}

SourceRange CheckReport::rangeOf(mlir::Location location) const {
  location = ownPlaceOf(location);
  SourceRange range = tile::rangeOf(location, source.modules.file(tile::fileOf(location)));
  return range.file ? range : HostedPlaces(location).findIn(source.tree);
}

bool CheckReport::isWarning(const Entry &entry) const {
  bool isRefused = entry.id == FindingId::broken_promise && options.refusesBrokenPromises;
  return severityOf(entry.id) == Severity::Warning && !isRefused;
}

/// The finding of this kind at this place, new or old, with one more counted; null for a new one
/// beyond those that are listed.
CheckReport::Entry *CheckReport::count(mlir::Location origin, FindingId id) {
  if (llvm::is_contained(options.ignored, nameOf(id)))
    return nullptr;
  mlir::Location location = ownPlaceOf(origin);
  auto key = std::pair(location.getAsOpaquePointer(), static_cast<unsigned>(id));
  auto found = entryOf.find(key);
  if (found != entryOf.end()) {
    Entry &entry = entries[found->second];
    ++entry.finding.count;
    return &entry;
  }
  if (entries.size() >= (options.mostFindings ? options.mostFindings : mostFindings)) {
    ++omitted;
    return nullptr;
  }
  entryOf[key] = entries.size();
  Entry entry{id, rangeOf(location), {}, {}};
  entry.finding.id = nameOf(id);
  entry.finding.isWarning = isWarning(entry);
  entries.push_back(std::move(entry));
  if (location != origin)
    entries.back().notes.push_back({{}, "found inside the library function that this calls"});
  // Who called, and who called that.
  for (auto call = callOf(location); call; call = callOf(call.getCaller()))
    note(entries.back(), call.getCaller(), "called from here", /*isCall=*/true);
  return &entries.back();
}

template <typename... Args>
void CheckReport::describe(Entry &entry, ProgramId program, Args &&...args) {
  entry.finding.text = llvm::formatv(formatOf(entry.id), std::forward<Args>(args)...);
  ProgramId shown = program;
  if (block) {
    interpret::ThreadPlace place = interpret::placeOf(program, *block);
    shown = place.block;
    entry.finding.thread = {place.thread.x, place.thread.y, place.thread.z};
  }
  entry.finding.program = {shown.x, shown.y, shown.z};
}

void CheckReport::note(Entry &entry, mlir::Location location, std::string text, bool isCall) const {
  entry.notes.push_back({rangeOf(location), std::move(text), isCall});
}

void CheckReport::outOfBounds(const interpret::OutOfBounds &access) {
  Entry *entry = count(access.location, FindingId::out_of_bounds);
  if (!entry)
    return;
  std::string element = elementOf(access.array, access.index);
  if (entry->finding.count == 1) {
    std::string size =
        access.array.empty() ? "" : llvm::formatv(" ({0} elements)", access.size).str();
    describe(*entry, access.program, nounOf(access.access), element, size,
             programText(access.program));
    entry->finding.array = access.array;
    entry->finding.index = access.index;
    entry->finding.lane = access.lane;
  } else if (entry->finding.count <= shownOccurrences) {
    entry->notes.push_back(
        {{}, llvm::formatv("also {0} in {1}", element, programText(access.program))});
    ++entry->written;
  }
}

void CheckReport::indexBeyond(const interpret::IndexBeyond &found) {
  Entry *entry = count(found.location, FindingId::out_of_bounds);
  if (!entry || entry->finding.count > 1)
    return;
  std::string whose = found.array.empty() ? "an array" : found.array;
  describe(*entry, found.program, llvm::formatv("index {0}", found.index).str(),
           llvm::formatv("dimension {0} of {1}", found.dimension, whose).str(),
           llvm::formatv(", which has {0},", found.size).str(), programText(found.program));
  entry->finding.array = found.array;
  entry->finding.index = found.index;
}

void CheckReport::raced(const interpret::Race &race) {
  const interpret::ElementAccess &access = race.access;
  Entry *entry = count(access.location, FindingId::data_race);
  if (!entry || entry->finding.count > 1)
    return;
  bool isSamePlace = ownPlaceOf(race.otherLocation) == ownPlaceOf(access.location);
  describe(*entry, access.program, elementOf(access.array, access.index),
           programText(access.program), verbOf(access.kind), programText(race.otherProgram),
           verbOf(race.otherKind), isSamePlace ? "here, too" : "elsewhere");
  entry->finding.array = access.array;
  entry->finding.index = access.index;
  entry->finding.lane = access.lane;
  note(*entry, race.otherLocation,
       llvm::formatv("{0} {1} it here", programText(race.otherProgram), verbOf(race.otherKind)));
  if (access.kind == AccessKind::Atomic || race.otherKind == AccessKind::Atomic)
    entry->notes.push_back({{},
                            "an atomic orders its program's plain accesses only before who finds "
                            "what it released and acquires"});
}

void CheckReport::readUnwritten(const interpret::ElementAccess &access) {
  Entry *entry = count(access.location, FindingId::unwritten_read);
  if (!entry || entry->finding.count > 1)
    return;
  describe(*entry, access.program, nounOf(access.kind), elementOf(access.array, access.index),
           programText(access.program));
  entry->finding.array = access.array;
  entry->finding.index = access.index;
  entry->finding.lane = access.lane;
}

void CheckReport::doubtMatters(const interpret::DoubtfulLane &lane) {
  bool isAlignment = lane.kind == DoubtKind::BrokenPromise;
  Entry *entry = count(isAlignment ? lane.location : lane.origin, idOf(lane.kind));
  if (!entry || entry->finding.count > 1)
    return;
  std::string program = programText(lane.program);
  if (lane.kind == DoubtKind::Wrapped)
    describe(*entry, lane.program, lane.bits, laneText(lane), program);
  else
    describe(*entry, lane.program, laneText(lane), program);
  entry->finding.lane = lane.lane;
  note(*entry, isAlignment ? lane.origin : lane.location, isAlignment ? "the promise" : "here");
  if (lane.kind == DoubtKind::Undefined)
    entry->notes.push_back({{}, "give a load an `other`, or leave the lane out with tl.where"});
  if (lane.kind == DoubtKind::Wrapped)
    entry->notes.push_back(
        {{}, "an operand that is .to(tl.int64) makes the result one of 64 bits"});
}

void CheckReport::promiseBroken(mlir::Location location, ProgramId program) {
  Entry *entry = count(location, FindingId::broken_promise);
  if (entry && entry->finding.count == 1)
    describe(*entry, program, programText(program));
}

void CheckReport::assertionFailed(mlir::Location location, ProgramId program,
                                  llvm::StringRef message, int64_t lane) {
  Entry *entry = count(location, FindingId::assertion_failed);
  if (!entry || entry->finding.count > 1)
    return;
  std::string where = lane < 0 ? "" : llvm::formatv(", lane {0}", lane).str();
  describe(*entry, program, programText(program) + where,
           message.empty() ? std::string() : ": " + message.str());
  entry->finding.lane = lane;
}

void CheckReport::assumptionFailed(mlir::Location location, ProgramId program) {
  Entry *entry = count(location, FindingId::assumption_failed);
  if (entry && entry->finding.count == 1)
    describe(*entry, program, programText(program));
}

void CheckReport::barrierMissed(mlir::Location location, ProgramId program, ProgramId other,
                                std::optional<mlir::Location> otherPlace) {
  Entry *entry = count(location, FindingId::barrier_missed);
  if (!entry || entry->finding.count > 1)
    return;
  describe(*entry, program, programText(program), programText(other),
           otherPlace ? "waits elsewhere" : "has ended");
  if (otherPlace)
    note(*entry, *otherPlace, programText(other) + " waits here");
  entry->notes.push_back({{}, "all threads of a block come to a barrier, or none does"});
}

void CheckReport::warpMissed(mlir::Location location, ProgramId program, unsigned lane,
                             interpret::WarpGap gap, std::optional<mlir::Location> place) {
  using interpret::WarpGap;
  Entry *entry = count(location, FindingId::warp_missed);
  if (!entry || entry->finding.count > 1)
    return;
  static constexpr const char *why[] = {"does not come here", "has ended",
                                        "the block does not have", "the mask does not name"};
  describe(*entry, program, programText(program), lane, why[static_cast<size_t>(gap)]);
  if (place)
    note(*entry, *place, "it waits here");
  entry->notes.push_back({{}, "the threads that a mask names all come, with the same mask"});
}

void CheckReport::stepNotPositive(mlir::Location location, ProgramId program, int64_t step) {
  Entry *entry = count(location, FindingId::step_not_positive);
  if (!entry || entry->finding.count > 1)
    return;
  describe(*entry, program, step, programText(program));
  entry->notes.push_back({{}, "a step must not be zero"});
}

void CheckReport::waitsForLater(mlir::Location location, ProgramId program) {
  Entry *entry = count(location, FindingId::waits_for_later);
  if (!entry || entry->finding.count > 1)
    return;
  describe(*entry, program, programText(program));
  entry->notes.push_back({{},
                          "where not all programs of the grid run at once, a program waits safely "
                          "only for those before it"});
}

void CheckReport::waitNeverEnds(mlir::Location location, ProgramId program) {
  Entry *entry = count(location, FindingId::endless_wait);
  if (!entry || entry->finding.count > 1)
    return;
  describe(*entry, program, programText(program));
  entry->notes.push_back(
      {{}, "every program that is left waits, so the run ends here; elsewhere it would not end"});
}

void CheckReport::loopNeverEnds(mlir::Location location, ProgramId program) {
  Entry *entry = count(location, FindingId::endless_wait);
  if (!entry || entry->finding.count > 1)
    return;
  describe(*entry, program, programText(program));
  entry->finding.text = "this loop does not end in " + programText(program);
  entry->notes.push_back(
      {{}, "a round left every variable as it was, and the next ones would do the same"});
}

void CheckReport::dependsOnOrder(mlir::Location kernel, const OrderDependence &found) {
  Entry *entry = count(kernel, FindingId::order_dependence);
  if (!entry || entry->finding.count > 1)
    return;
  entry->finding.text = llvm::formatv(formatOf(entry->id), elementOf(found.array, found.index),
                                      found.inOrder, found.shuffled, found.differing, found.size);
  entry->finding.array = found.array;
  entry->finding.index = found.index;
}

void CheckReport::print(llvm::StringRef line) {
  std::string lines = line.str() + '\n';
  if (sink)
    (*sink)(lines);
  else
    std::fwrite(lines.data(), 1, lines.size(), stdout);
}

void CheckReport::receive(size_t receiver, std::span<const PrintedOperand> values) {
  receivers[receiver](values);
}

std::vector<DiagnosticNote> CheckReport::notesOf(const Entry &entry) const {
  std::vector<DiagnosticNote> notes = entry.notes;
  if (entry.finding.count > entry.written)
    notes.push_back({{}, llvm::formatv("and {0} more here", entry.finding.count - entry.written)});
  return notes;
}

bool CheckReport::hasErrors() const {
  return llvm::any_of(entries, [&](const Entry &entry) { return !isWarning(entry); });
}

std::vector<Finding> CheckReport::findings() const {
  std::vector<Finding> all;
  for (const Entry &entry : entries) {
    Finding finding = entry.finding;
    finding.text = printable(finding.text);
    finding.place = placeOf(entry.range);
    for (const DiagnosticNote &note : notesOf(entry)) {
      if (note.isCall)
        finding.calls.push_back(placeOf(note.range));
      else
        finding.notes.push_back({printable(note.text), placeOf(note.range)});
    }
    all.push_back(std::move(finding));
  }
  return all;
}

std::string CheckReport::render(bool onlyWarnings) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const Entry &entry : entries) {
    if (onlyWarnings && !isWarning(entry))
      continue;
    printEntry(out, entry.range, isWarning(entry) ? "warning" : "error", llvm::raw_ostream::RED,
               entry.finding.text + " [" + entry.finding.id + "]");
    for (const DiagnosticNote &note : notesOf(entry))
      printEntry(out, note.range, "note", llvm::raw_ostream::CYAN, note.text);
  }
  if (omitted && !onlyWarnings)
    out << "note: " << omitted << " more at other places are not listed\n";
  return llvm::StringRef(text).rtrim('\n').str();
}

} // namespace nereid::jit
