// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop whose loads are copied into rings some rounds before the round that reads them.
#pragma once

#include "analysis/AxisInfo.h"
#include "backend/gpu/rings/RoundSlice.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace nereid::backend::nvptx {

/// One load's way through a ring: some slots for rounds ahead, one for the round that is computed,
/// and one behind it if a product of the round before still reads.
struct Ring {
  tile::LoadOp load;
  nv::SharedType type;
  llvm::SetVector<tile::DotOp> products;
  unsigned behind = 0;
  unsigned stages = 0;
  unsigned turn = 0; // rings of as many stages take turns together: the number of their slots
  mlir::Value room = {};
};

/// What addresses of copies are loaded from: tables of pages, lists of rows. It is there when the
/// copies begin, as it was loaded before: tiles are copied as many rounds ahead of the copies as
/// those are ahead of their own round, numbers are loaded one round ahead of them.
struct Tables {
  llvm::SmallVector<Ring> rings;
  llvm::SmallVector<tile::LoadOp> numbers;
  std::optional<gpu::RoundSlice> ofRings, ofNumbers; // what their addresses are computed from

  bool empty() const { return rings.empty() && numbers.empty(); }
  llvm::SmallVector<tile::LoadOp> loads() const;
};

struct RingPlan {
  mlir::scf::ForOp loop;
  llvm::MutableArrayRef<Ring> rings;
  gpu::RoundSlice slice; // all that addresses of copies are computed from
  gpu::RoundSlice rest;  // what of it tables do not give
  Tables tables;
  unsigned ahead;
  uint64_t reserved; // bytes of shared memory that the block is believed to take meanwhile
  bool copiesBehindProduct;
  bool leavesRegisters; // to addresses that live beside a product's tiles
  const analysis::AxisAnalysis &axes;
};
void buildRings(RingPlan plan);

} // namespace nereid::backend::nvptx
