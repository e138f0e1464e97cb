// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/KernelArguments.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace nereid::analyzer {

/// Which programs of a grid are run. The last ones along an axis, whose tiles reach beyond their
/// arrays, are strata of their own, so that they count for as many as they are; and so are, where
/// it is known what each program does, those that do about equally much: a few that do most of it
/// are not missed.
class ProgramSample {
public:
  struct Stratum {
    uint64_t size;                  // programs of the grid
    std::vector<uint64_t> programs; // of them, those that are run; by number, ascending
  };
  /// All of them in one stratum, if they are no more than `most`.
  ProgramSample(GridExtent grid, uint64_t most) : ProgramSample(grid, most, {}) {}
  /// `works`: of each program by number; empty where it is not known.
  ProgramSample(GridExtent grid, uint64_t most, std::span<const uint64_t> works);
  const std::vector<Stratum> &strata() const { return list; }
  /// Of those, the one that a program of the grid is in, where works are not known.
  unsigned stratumOf(uint64_t program) const;

private:
  GridExtent grid;
  std::vector<Stratum> list;
  /// By the axes along which programs are the last, a bit for each.
  std::array<unsigned, 8> strataOfLast{};
};

} // namespace nereid::analyzer
