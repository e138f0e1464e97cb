// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands between a stopped program and who wants to look at it.
#pragma once

#include "nereid/nereid.h"

#include <array>
#include <optional>
#include <string>

namespace nereid::command {

/// FILE:LINE[,pid=X[:Y[:Z]]][,tid=X[:Y[:Z]]]
struct BreakRequest {
  Place place;
  /// Of a kernel of threads, the block and the thread in it. As far as it is said; empty: each.
  std::vector<uint32_t> program, thread;
};
BreakRequest parseBreak(const std::string &text);

/// Reads commands from standard input, one a line, until one of them says how to go on.
class Prompt {
public:
  explicit Prompt(std::vector<BreakRequest> requests) : requests(std::move(requests)) {}

  /// Of the launch whose programs stop.
  void setGrid(const Grid &launched) { grid = launched; }
  Resume stop(const Stop &stop);
  bool hasStopped() const { return stops > 0; }

private:
  bool isMeant(const Stop &stop) const;
  std::optional<Resume> obey(const std::string &command, const Stop &stop);

  std::vector<BreakRequest> requests;
  Grid grid;
  bool isStepping = false;
  uint64_t stops = 0;
  std::string last;
};

} // namespace nereid::command
