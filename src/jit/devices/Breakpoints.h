// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/tile/Tile.h"
#include "driver/Compiler.h"
#include "interpret/events/LineEvents.h"
#include "nereid/nereid.h"

namespace nereid::jit {

/// Stops programs where the options of a checked run say.
class Breakpoints final : public interpret::LineListener {
public:
  /// `block` is that of a kernel of threads.
  Breakpoints(const driver::SourceModule &source, const CheckOptions &options,
              std::optional<tile::BlockShape> block)
      : source(source), options(options), block(block) {}

  void reaches(mlir::Location location, interpret::ProgramId program,
               llvm::ArrayRef<interpret::VariableView> variables) override;

private:
  bool isBreakpoint(const Place &place) const;

  const driver::SourceModule &source;
  const CheckOptions &options;
  std::optional<tile::BlockShape> block;
  bool isFinished = false;
  std::optional<interpret::ProgramId> stepping;
};

} // namespace nereid::jit
