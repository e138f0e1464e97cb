// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes wrong, as an exception and as data.
#pragma once

#include "nereid/Export.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nereid {

/// A text as a terminal shows it and does not obey it: control characters but tabs and line ends,
/// marks that turn the direction of writing, and bytes that are no UTF-8 become escapes, "\x1b".
/// What is printable already stays as it is.
NEREID_API std::string printable(std::string_view text);

/// A place in a kernel's text. Lines and columns count from 1, columns in bytes; 0 means none.
struct Place {
  std::string file;
  unsigned line = 0, column = 0;
};

/// One thing that is wrong with a kernel.
struct Finding {
  struct Note {
    std::string text;
    Place place; // may be none
  };
  std::string id; ///< "out_of_bounds": which kind of mistake it is
  std::string text;
  Place place;
  std::vector<Note> notes;
  /// The calls that led there, the innermost first.
  std::vector<Place> calls;

  // What a checked run adds. The first occurrence is the one described.
  /// A warning alone fails no run.
  bool isWarning = false;
  /// How often it happened.
  uint64_t count = 1;
  struct Program {
    uint32_t x, y, z;
  };
  /// Of a kernel of threads, the block, and the thread in it.
  std::optional<Program> program = {};
  std::optional<Program> thread = {};
  /// Of the tile, row-major; -1: it is about no lane.
  int64_t lane = -1;
  /// The kernel's parameter and the element, which may lie outside; empty: it is about none.
  std::string array = {};
  int64_t index = 0;
};

/// What went wrong, and who can mend it. what() is the whole report, as the command line prints it;
/// texts and names of others stand in it as printable() has them.
class NEREID_API Error : public std::runtime_error {
public:
  enum class Kind {
    Source,      ///< the kernel's text: the message has file, line, column and caret
    Usage,       ///< how the kernel was launched, or arguments to this library
    Environment, ///< a file, the operating system or a driver: the message names the failing call
    Checked,     ///< the checked device found the kernel doing something wrong while it ran
    Internal,    ///< a bug in Nereid: the message names a file that makes it happen again
  };
  Error(Kind kind, const std::string &message, std::vector<Finding> findings = {})
      : std::runtime_error(printable(message)), kind_(kind), findings_(std::move(findings)) {}
  Kind kind() const { return kind_; }
  /// Of Source and Checked, what the message says, as data.
  const std::vector<Finding> &findings() const { return findings_; }

private:
  Kind kind_;
  std::vector<Finding> findings_;
};

namespace detail {
/// What getenv did not find is an Error, and not undefined.
inline std::string requireText(const char *text) {
  if (!text)
    throw Error(Error::Kind::Usage, "a null pointer is no string");
  return text;
}
} // namespace detail

} // namespace nereid
