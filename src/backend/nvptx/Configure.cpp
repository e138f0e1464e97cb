// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/Configuration.h"
#include "backend/nvptx/Passes.h"
#include "dialect/nv/Nv.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_CONFIGURE
#include "backend/nvptx/Passes.h.inc"

bool Configuration::mayHaveRoles(func::FuncOp kernel) const {
  bool holdsAssembly =
      kernel.walk([](tile::AssemblyOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return usesBoxes && !maxRegisters && !holdsAssembly;
}

std::optional<Configuration> configurationOf(func::FuncOp kernel) {
  auto written = kernel->getAttrOfType<nv::ConfigurationAttr>(nv::configurationAttr);
  if (!written) {
    kernel.emitError("has no nv.configuration: nvptx-configure comes first");
    return std::nullopt;
  }
  std::optional<target::NvidiaTarget> target = target::findSm(written.getSm());
  if (!target) {
    kernel.emitError("there is no ") << written.getSm();
    return std::nullopt;
  }
  auto ifGiven = [](unsigned number) {
    return number ? std::optional<unsigned>(number) : std::nullopt;
  };
  return Configuration{*target, written.getWarps(), ifGiven(written.getStages()),
                       ifGiven(written.getRegisters()), written.getBoxes()};
}

unsigned chooseWarps(func::FuncOp kernel) {
  if (auto counted = kernel->getAttrOfType<IntegerAttr>(tile::warpsAttr))
    return static_cast<unsigned>(counted.getInt());
  int64_t largest = 1;
  bool multiplies = false, reduces = false;
  kernel.walk([&](Operation *op) {
    multiplies |= llvm::isa<tile::DotOp>(op);
    reduces |= llvm::isa<tile::ReduceOp, tile::ScanOp>(op);
    for (Type type : op->getResultTypes())
      largest = std::max(largest, tile::elementCount(type));
  });
  // Elementwise: two accesses of 16 bytes in flight for f32. A row that is reduced stays in few
  // warps, whose lanes combine by shuffles; products want the registers of few warps rather than
  // more of them.
  int64_t perThread = multiplies || reduces ? 32 : 8;
  uint64_t warps = llvm::divideCeil(largest, perThread * target::warpSize);
  return static_cast<unsigned>(std::clamp<uint64_t>(std::bit_ceil(warps), 1, multiplies ? 8 : 16));
}

bool isFetchedFor(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return llvm::isa<nv::FetchOp, nv::FetchRowOp>(op) ? WalkResult::interrupt()
                                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

struct Configure final : impl::ConfigureBase<Configure> {
  using ConfigureBase::ConfigureBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    unsigned chosen = warps.getValue() ? warps.getValue() : chooseWarps(kernel);
    auto complain = [&] { return kernel.emitError(); };
    if (failed(nv::ConfigurationAttr::verify(complain, sm.getValue(), chosen, stages, registers, boxes)))
      return signalPassFailure();
    kernel->setAttr(nv::configurationAttr, nv::ConfigurationAttr::get(&getContext(), sm.getValue(), chosen,
                                                                      stages, registers, boxes));
    if (!configurationOf(kernel))
      signalPassFailure();
  }
};

} // namespace
} // namespace nereid::backend::nvptx
