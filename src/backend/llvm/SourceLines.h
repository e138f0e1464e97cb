// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which line of the author's an instruction is of, for who looks at machine code or measures it.
// Where that is wanted, instructions carry the number of a place as if it were a line of a source,
// which LLVM hands on to assembly and objects; the code is the same without.
#pragma once

#include "runtime/Artifact.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <vector>

namespace nereid {
class SourceFile;
}

namespace nereid::backend {

class SourceLines {
public:
  /// Of what is emitted into the function from now on.
  void begin(llvm::Function &function);
  /// By number, from 1.
  const std::vector<runtime::CodePlace> &places() const { return list; }

  /// What is emitted in this scope's life is of the operation. Does nothing where `lines` is null.
  class Scope {
  public:
    Scope(SourceLines *lines, llvm::IRBuilderBase &builder, mlir::Operation *op);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    SourceLines *lines;
    llvm::IRBuilderBase &builder;
    llvm::DebugLoc before;
  };

private:
  llvm::DebugLoc locationOf(mlir::Location location);

  llvm::DISubprogram *program = nullptr;
  std::vector<runtime::CodePlace> list;
  llvm::DenseMap<mlir::Location, unsigned> numbers;
};

/// Where in the image that `object` was linked to which place's instructions begin, in order.
/// `symbol`, a function of the object, lies at `entry` of the image.
std::vector<runtime::CodeLine> readLines(llvm::MemoryBufferRef object, llvm::StringRef symbol,
                                         uint64_t entry);

/// Assembly whose instructions carry places: before those of another place than the ones before, a
/// comment says which, with the line's text where it is of `file`.
std::string showLines(llvm::StringRef assembly, llvm::ArrayRef<runtime::CodePlace> places,
                      const SourceFile *file);

} // namespace nereid::backend
