// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What emission knows on NVIDIA's GPUs beside what it does on any: the parameters that follow the
// kernel's own, and the barriers of rings.
#pragma once

#include "backend/gpu/emit/EmitContext.h"
#include "backend/nvptx/Configuration.h"
#include "runtime/ClockRecords.h"
#include "runtime/PrintSite.h"
#include "target/NvidiaTarget.h"

#include "llvm/ADT/MapVector.h"

namespace nereid::backend::nvptx {

/// A ring's barriers, i32 addresses in shared memory, and where each role is in it: in stack slots,
/// of which LLVM makes registers.
struct RingState {
  unsigned stages = 0;
  bool isReadByProducts = false;
  llvm::Value *full = nullptr, *empty = nullptr; // of the first slot; of the next, 8 bytes on
  struct Place {
    llvm::AllocaInst *index, *parity; // of the next slot; of the barrier's phase there
  };
  Place filled, awaited;
  llvm::AllocaInst *released = nullptr;   // the index of the next slot to be released
  llvm::AllocaInst *unreleased = nullptr; // slots that are read; null where that is one, if any
};

/// Where a thread notes what its warp does: of its area's last record the low half of the address,
/// 0 if it notes nothing; the high half; and of the next record, in a stack slot. All i32.
struct ClockState {
  llvm::Value *table = nullptr, *inverseOfRows = nullptr, *rows = nullptr; // parameters
  llvm::Value *last = nullptr, *high = nullptr;
  llvm::AllocaInst *next = nullptr;
  /// Whether the block notes what it does, and where code for those that do begins; the blocks of
  /// code in front of that.
  llvm::Value *notes = nullptr;
  llvm::BranchInst *choice = nullptr;
  llvm::SmallVector<llvm::BasicBlock *> before;
};

struct KernelContext : gpu::EmitContext {
  /// The kernel's nv.configuration says how many warps compute, nv.producer_warps how many more run
  /// a program, for nv.produce: where those are a warpgroup, the others get its registers. A kernel
  /// of threads has its block instead, and `policy`.
  KernelContext(llvm::Module &module, mlir::func::FuncOp kernel, const LaneTarget &laneTarget,
                const target::NvidiaTarget &target, const Policy &policy);

  unsigned threadsOfBlock() const;
  bool takesClocks() const;
  /// Whether blocks run several programs. Then the grid's three numbers follow the parameters.
  bool loopsOverPrograms() const { return !gridArguments.empty(); }

  const target::NvidiaTarget &target;
  const Policy policy;
  const unsigned producerWarps;

  /// The launch's buffer, a parameter where there are prints.
  llvm::Value *printBuffer = nullptr;
  std::vector<runtime::PrintSite> prints;

  /// Where warps read the clock. Where there are any, the parameters of ClockRecords.h follow.
  std::vector<runtime::ClockSite> clocks;
  ClockState clock;

  /// The grid of nv.programs, whose blocks are fewer than the programs; along x, y and z, i32.
  llvm::SmallVector<llvm::Value *, 3> gridArguments;
  std::optional<std::array<llvm::Value *, 3>> programOfRound;

  /// Whose tensor maps are the last parameters, in their order.
  std::vector<mlir::Operation *> boxOps;
  /// Where blocks of a program tell one another what: an i32 address in shared memory, and of each
  /// operation the place behind it, with the bytes in a stack slot that its rounds take turns by.
  struct ClusterRoom {
    uint64_t offset = 0;
    llvm::AllocaInst *turn = nullptr;
  };
  llvm::Value *clusterRoom = nullptr;
  llvm::DenseMap<mlir::Operation *, ClusterRoom> clusterRooms;
  mlir::Operation *clusterBegins = nullptr; // the first of them, if all threads come to it

  /// Whether what follows is emitted behind awaitPrevious.
  bool hasAwaitedPrevious = false;

  /// Whether what is emitted of nv.produce is for the warps that turn what another one fetches.
  bool isTurning = false;

  llvm::MapVector<mlir::Value, RingState> rings;
  llvm::Value *ringBarriers = nullptr; // that no ring has yet

private:
  KernelContext(llvm::Module &module, mlir::func::FuncOp kernel, const LaneTarget &laneTarget,
                const target::NvidiaTarget &target, const Configuration &configuration);
};

} // namespace nereid::backend::nvptx
