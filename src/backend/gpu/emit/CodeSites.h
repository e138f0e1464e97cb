// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operation an instruction is of: for who counts a kernel's instructions. Where that is
// wanted, instructions carry the number of a site as if it were a line of a source, which PTX and
// the assembler hand on; otherwise nothing is emitted for it.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"

#include <vector>

namespace nereid::backend::gpu {

struct CodeSite {
  mlir::Operation *op;
  /// Each time that the operation is run: rounds of loops that it is emitted as.
  uint64_t times;
};

class CodeSites {
public:
  /// Sites of what is emitted into the function.
  void begin(llvm::Function &function);
  /// By number, from 1: the line that an instruction says it is of.
  const std::vector<CodeSite> &list() const { return sites; }

  /// What is emitted in this scope's life is of the operation, or `rounds` times of what it is of
  /// outside. Does nothing where `sites` is null.
  class Scope {
  public:
    Scope(CodeSites *sites, llvm::IRBuilderBase &builder, mlir::Operation *op);
    Scope(CodeSites *sites, llvm::IRBuilderBase &builder, uint64_t rounds);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    void enter(CodeSite site);
    CodeSites *sites;
    llvm::IRBuilderBase &builder;
    CodeSite before{};
    llvm::DebugLoc locationBefore;
  };

private:
  llvm::DebugLoc locationOf(CodeSite site);

  llvm::DISubprogram *program = nullptr;
  std::vector<CodeSite> sites;
  llvm::DenseMap<std::pair<mlir::Operation *, uint64_t>, unsigned> numbers;
  CodeSite now{};
};

} // namespace nereid::backend::gpu
