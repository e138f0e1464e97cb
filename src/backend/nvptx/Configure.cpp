// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/Configuration.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/ptx/NvptxTarget.h"
#include "dialect/nv/Nv.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_CONFIGURE
#include "backend/nvptx/Passes.h.inc"

Configuration::Configuration(const target::NvidiaTarget &target, unsigned warps,
                             const Policy &policy)
    : gpu::Configuration{target, std::make_shared<NvptxTarget>(target, policy.hinted_caches),
                         warps,  {},
                         {},     policy},
      target(target), policy(policy) {}

llvm::StringRef Configuration::whyNoRoles(func::FuncOp kernel) const {
  if (!usesBoxes)
    return "launches make no tensor maps";
  if (maxRegisters)
    return "a limit on registers leaves none to be moved to who multiplies";
  bool holdsAssembly =
      kernel.walk([](tile::AssemblyOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return holdsAssembly ? "the kernel has assembly, which may count its threads" : "";
}

static bool set(Policy &policy, llvm::StringRef name, unsigned number, func::FuncOp kernel) {
  std::string why = whyNoChoice(policy.rows(), name, number);
  if (!why.empty())
    kernel.emitError("policy: ") << why;
  return why.empty() && policy.set(name, number);
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
      if (!number || !llvm::isUInt<32>(number.getInt())) {
        kernel.emitError("policy: '")
            << other.getName().getValue() << "' wants a number of 32 bits";
        return std::nullopt;
      }
      if (!set(policy, other.getName(), unsigned(number.getInt()), kernel))
        return std::nullopt;
    }
  Configuration configuration(*target, written.getWarps(), policy);
  configuration.stages = ifGiven(written.getStages());
  configuration.maxRegisters = ifGiven(written.getRegisters());
  configuration.usesBoxes = written.getBoxes();
  return configuration;
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
      if (text.getAsInteger(10, value)) {
        kernel.emitError("'") << each << "' is not NAME=NUMBER";
        return signalPassFailure();
      }
      if (!set(chosen, name, value, kernel))
        return signalPassFailure();
      others.push_back(builder.getNamedAttr(name, builder.getI32IntegerAttr(value)));
    }
    auto dictionary = others.empty() ? DictionaryAttr() : builder.getDictionaryAttr(others);
    unsigned count =
        warps.getValue() ? warps.getValue() : chooseWarps(kernel, chosen, target::warpSize);
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
