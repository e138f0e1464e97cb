// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/Configuration.h"
#include "backend/nvptx/Passes.h"
#include "dialect/nv/Nv.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_CONFIGURE
#include "backend/nvptx/Passes.h.inc"

llvm::StringRef Configuration::whyNoRoles(func::FuncOp kernel) const {
  if (!usesBoxes)
    return "launches make no tensor maps";
  if (maxRegisters)
    return "a limit on registers leaves none to be moved to who multiplies";
  bool holdsAssembly =
      kernel.walk([](tile::AssemblyOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return holdsAssembly ? "the kernel has assembly, which may count its threads" : "";
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
  Policy policy;
  if (DictionaryAttr others = written.getPolicy())
    for (NamedAttribute other : others) {
      auto number = llvm::dyn_cast<IntegerAttr>(other.getValue());
      if (!number || !policy.set(other.getName(), number.getInt())) {
        kernel.emitError("policy.def has no number ") << other.getName();
        return std::nullopt;
      }
    }
  return Configuration{*target, written.getWarps(), ifGiven(written.getStages()),
                       ifGiven(written.getRegisters()), written.getBoxes(), policy};
}

unsigned chooseWarps(func::FuncOp kernel, const Policy &policy) {
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
  int64_t perThread = multiplies || reduces ? policy.elements_of_thread_that_shares
                                            : policy.elements_of_thread;
  uint64_t most = multiplies ? policy.most_warps_of_products : policy.most_warps;
  uint64_t warps = llvm::divideCeil(largest, perThread * target::warpSize);
  return static_cast<unsigned>(std::clamp<uint64_t>(std::bit_ceil(warps), 1, most));
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
    mlir::Builder builder(kernel);
    Policy chosen;
    llvm::SmallVector<NamedAttribute> others;
    for (llvm::StringRef each : policy) {
      auto [name, text] = each.split('=');
      unsigned value = 0;
      if (text.getAsInteger(10, value) || !chosen.set(name, value)) {
        kernel.emitError("policy.def has no number ") << each;
        return signalPassFailure();
      }
      others.push_back(builder.getNamedAttr(name, builder.getI32IntegerAttr(value)));
    }
    auto dictionary = others.empty() ? DictionaryAttr() : builder.getDictionaryAttr(others);
    unsigned count = warps.getValue() ? warps.getValue() : chooseWarps(kernel, chosen);
    auto complain = [&] { return kernel.emitError(); };
    if (failed(nv::ConfigurationAttr::verify(complain, sm.getValue(), count, stages, registers,
                                             boxes, dictionary)))
      return signalPassFailure();
    kernel->setAttr(nv::configurationAttr,
                    nv::ConfigurationAttr::get(&getContext(), sm.getValue(), count, stages,
                                               registers, boxes, dictionary));
    if (!configurationOf(kernel))
      signalPassFailure();
  }
};

} // namespace
} // namespace nereid::backend::nvptx
