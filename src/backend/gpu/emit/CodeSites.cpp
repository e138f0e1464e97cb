// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/emit/CodeSites.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"

namespace nereid::backend::gpu {

void CodeSites::begin(llvm::Function &function) {
  llvm::Module &module = *function.getParent();
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  llvm::DIBuilder builder(module);
  llvm::DIFile *file = builder.createFile("sites", ".");
  // Lines alone are told: nothing else is emitted, and nothing is optimized less.
  builder.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C), file, "nereid",
                            /*isOptimized=*/true, "", 0, "",
                            llvm::DICompileUnit::DebugDirectivesOnly);
  program = builder.createFunction(
      file, function.getName(), function.getName(), file, 1,
      builder.createSubroutineType(builder.getOrCreateTypeArray({})), 1, llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function.setSubprogram(program);
  builder.finalize();
}

llvm::DebugLoc CodeSites::locationOf(CodeSite site) {
  auto [found, isNew] = numbers.try_emplace({site.op, site.times}, unsigned(sites.size()) + 1);
  if (isNew)
    sites.push_back(site);
  return llvm::DILocation::get(program->getContext(), found->second, 0, program);
}

CodeSites::Scope::Scope(CodeSites *sites, llvm::IRBuilderBase &builder, mlir::Operation *op)
    : sites(sites), builder(builder) {
  enter({op, 1});
}

CodeSites::Scope::Scope(CodeSites *sites, llvm::IRBuilderBase &builder, uint64_t rounds)
    : sites(sites), builder(builder) {
  if (sites)
    enter({sites->now.op, sites->now.times * rounds});
}

void CodeSites::Scope::enter(CodeSite site) {
  if (!sites)
    return;
  before = sites->now;
  locationBefore = builder.getCurrentDebugLocation();
  sites->now = site;
  builder.SetCurrentDebugLocation(sites->locationOf(site));
}

CodeSites::Scope::~Scope() {
  if (!sites)
    return;
  sites->now = before;
  builder.SetCurrentDebugLocation(locationBefore);
}

} // namespace nereid::backend::gpu
