// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/Optimize.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace nereid::backend {

/// For each load from one of two addresses InstCombine looks for another load of them, back to the
/// beginning of the basic block or to a call that may write; lanes under a mask are such loads by
/// the thousand. Calls of llvm.sideeffect, which are nothing else to anybody, end the search.
static void boundSearches(llvm::Module &module) {
  constexpr size_t farthest = 512;
  llvm::SmallVector<llvm::Instruction *> bounds;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      size_t count = 0;
      for (llvm::Instruction &instruction : block)
        if (!llvm::isa<llvm::PHINode>(instruction) && ++count % farthest == 0)
          bounds.push_back(&instruction);
    }
  for (llvm::Instruction *bound : bounds)
    llvm::IRBuilder<>(bound).CreateIntrinsic(llvm::Intrinsic::sideeffect,
                                             llvm::ArrayRef<llvm::Value *>());
}

static void removeBounds(llvm::Module &module) {
  llvm::Function *bound =
      llvm::Intrinsic::getDeclarationIfExists(&module, llvm::Intrinsic::sideeffect);
  if (!bound)
    return;
  while (!bound->use_empty())
    llvm::cast<llvm::Instruction>(bound->user_back())->eraseFromParent();
  bound->eraseFromParent();
}

void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);

  llvm::FunctionPassManager passes;
  // First: everything else sees through registers only. It makes no branches of selected addresses:
  // a masked gather would be as many blocks as lanes.
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  // Address arithmetic that InstCombine exposed as invariant leaves the lane loops.
  llvm::LoopPassManager hoisting;
  hoisting.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(hoisting), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::DCEPass());
  boundSearches(module);
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
  removeBounds(module);
}

void optimizeScalarCode(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false; // a thread has no vectors
  llvm::PassBuilder builder(&machine, tuning);
  machine.registerPassBuilderCallbacks(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

} // namespace nereid::backend
