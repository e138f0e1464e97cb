// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Boundary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace nereid::jit {

Place placeOf(SourceRange range) {
  if (!range.file)
    return {};
  auto [line, column] = range.file->position(range.begin);
  return {range.file->name(), line, column};
}

Finding toFinding(const Diagnostic &diagnostic) {
  Finding finding{std::string(nameOf(diagnostic.id)),
                  printable(diagnostic.text),
                  placeOf(diagnostic.range),
                  {},
                  {}};
  for (const DiagnosticNote &note : diagnostic.notes) {
    if (note.isCall)
      finding.calls.push_back(placeOf(note.range));
    else
      finding.notes.push_back({printable(note.text), placeOf(note.range)});
  }
  return finding;
}

Error toError(const Diagnostic &diagnostic) {
  bool isFile = diagnostic.id == DiagnosticId::file_unreadable;
  std::vector<Finding> findings{toFinding(diagnostic)};
  llvm::append_range(findings, llvm::map_range(diagnostic.further, toFinding));
  return Error(isFile ? Error::Kind::Environment : Error::Kind::Source,
               llvm::StringRef(diagnostic.render()).rtrim('\n').str(), std::move(findings));
}

} // namespace nereid::jit
