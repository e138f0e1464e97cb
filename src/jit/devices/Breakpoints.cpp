// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/devices/Breakpoints.h"

#include "dialect/tile/SourcePlace.h"
#include "interpret/schedule/ThreadBlock.h"
#include "jit/Boundary.h"

namespace nereid {

bool isCalled(std::string_view wanted, std::string_view file) {
  while (wanted.starts_with("./"))
    wanted.remove_prefix(2);
  while (file.starts_with("./"))
    file.remove_prefix(2);
  auto [shorter, longer] =
      std::minmax(wanted, file, [](auto a, auto b) { return a.size() < b.size(); });
  bool isWhole =
      longer.size() == shorter.size() || longer[longer.size() - shorter.size() - 1] == '/';
  return !shorter.empty() && longer.ends_with(shorter) && isWhole;
}

namespace jit {

static Stop::Variable toVariable(const interpret::VariableView &view) {
  if (!view.type)
    return {.name = view.name.str(), .constant = view.constant.str()};
  mlir::Type element = tile::elementOf(view.type);
  DType type = tile::dtypeOf(element).value_or(DType::UInt64); // a pointer
  return {view.name.str(),
          type,
          tile::shapeOf(view.type).vec(),
          {view.elements.begin(), view.elements.end()},
          {}};
}

bool Breakpoints::isBreakpoint(const Place &place) const {
  return llvm::any_of(options.breakpoints, [&](const Place &wanted) {
    return wanted.line == place.line && isCalled(wanted.file, place.file);
  });
}

void Breakpoints::reaches(mlir::Location location, interpret::ProgramId program,
                          llvm::ArrayRef<interpret::VariableView> variables) {
  if (isFinished)
    return;
  Place place = placeOf(tile::rangeOf(location, source.modules.file(tile::fileOf(location))));
  // What is written in the language's own library has no text to show.
  bool isShown = place.line && (stepping == program || isBreakpoint(place));
  if (!isShown)
    return;
  Stop stop{place, {program.x, program.y, program.z}, {}};
  if (block) {
    auto [thread, at] = interpret::placeOf(program, *block);
    stop.program = {at.x, at.y, at.z};
    stop.thread = {thread.x, thread.y, thread.z};
  }
  for (const interpret::VariableView &variable : variables)
    stop.variables.push_back(toVariable(variable));
  Resume resume = options.stopped(stop);
  isFinished = resume == Resume::Finish;
  stepping = resume == Resume::Step ? std::optional(program) : std::nullopt;
}

} // namespace jit
} // namespace nereid
