// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel author's mistakes. The first ends what is under way: it is thrown as a SourceError and
// caught where the driver hands results out; others that are found beside it travel with it
// (docs/decisions/0002).
#pragma once

#include "support/Source.h"

#include "llvm/Support/FormatVariadic.h"

#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace nereid {

enum class DiagnosticId {
#define DIAGNOSTIC(id, text) id,
#include "support/diagnostics.def"
};

/// The format string of a diagnostic, with {0}, {1} ... for its arguments.
const char *formatOf(DiagnosticId id);
/// The id as printed in brackets.
std::string_view nameOf(DiagnosticId id);

struct DiagnosticNote {
  SourceRange range; // may be without a file
  std::string text;
  /// It shows a call on the way to the mistake.
  bool isCall = false;
};

struct Diagnostic {
  DiagnosticId id;
  SourceRange range; // may be without a file
  std::string text;
  std::vector<DiagnosticNote> notes;
  /// Mistakes of the same text that do not follow from this one; they have no further ones.
  std::vector<Diagnostic> further = {};

  /// "file:line:column: error: text [id]", the line, a caret, then the notes; then the further
  /// ones.
  void print(llvm::raw_ostream &out, bool useColor = false) const;
  std::string render() const;
};

/// Unwinds the front end to the driver when the kernel's author made a mistake.
class SourceError final : public std::exception {
public:
  explicit SourceError(Diagnostic diagnostic) : diagnostic(std::move(diagnostic)) {}
  const char *what() const noexcept override { return diagnostic.text.c_str(); }

  Diagnostic diagnostic;
  /// Keeps alive the text that the diagnostic points into, where nobody else does.
  std::shared_ptr<const void> owner;
};

template <typename... Args>
Diagnostic diagnose(SourceRange range, DiagnosticId id, Args &&...args) {
  return {id, range, llvm::formatv(formatOf(id), std::forward<Args>(args)...).str(), {}, {}};
}

/// Reports a mistake at `range` and ends the compilation.
template <typename... Args>
[[noreturn]] void fail(SourceRange range, DiagnosticId id, Args &&...args) {
  throw SourceError(diagnose(range, id, std::forward<Args>(args)...));
}

/// The same, with one note that says what would be accepted or where the other place is.
template <typename... Args>
[[noreturn]] void failWithNote(SourceRange range, DiagnosticNote note, DiagnosticId id,
                               Args &&...args) {
  Diagnostic diagnostic = diagnose(range, id, std::forward<Args>(args)...);
  diagnostic.notes.push_back(std::move(note));
  throw SourceError(std::move(diagnostic));
}

/// The closest of `candidates` to `name` if one is close enough to suggest, else empty.
std::string closestName(std::string_view name, const std::vector<std::string> &candidates);

} // namespace nereid
