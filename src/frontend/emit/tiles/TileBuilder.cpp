// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/tiles/TileBuilder.h"

#include "frontend/sema/Promotion.h"
#include "frontend/sema/ThreadTypes.h"

namespace nereid::emit {

/// About what can be done within a second: whoever waits for a text that explodes is told soon. Of
/// what people write the longest take a tenth.
constexpr uint64_t mostOperations = 200'000, mostTracedSteps = 1'000'000;

/// Every operation has a location and every value a type, so that who makes one comes by here.
void TileBuilder::refuseOutsideKernels() {
  if (surroundings().isHost)
    fail(currentRange, DiagnosticId::not_constexpr, "what is computed outside kernels");
}

mlir::Location TileBuilder::locate(SourceRange range) {
  refuseOutsideKernels();
  if (!range.file)
    return builder.getUnknownLoc();
  mlir::StringAttr &path = fileNames[range.file];
  if (!path)
    path = builder.getStringAttr(range.file->name());
  auto [line, column] = range.file->position(range.begin);
  mlir::Location location = mlir::FileLineColLoc::get(path, line, column);
  const mlir::Location *callSite = surroundings().callSite;
  return callSite ? mlir::CallSiteLoc::get(location, *callSite) : location;
}

DType TileBuilder::literalType(const sema::ConstantValue &number) const {
  return isOfThreads() ? sema::threadLiteralType(number) : sema::typeOfLiteral(number);
}

void TileBuilder::countStep(SourceRange range, uint64_t elements) {
  constexpr uint64_t elementsInAStep = 4;
  currentRange = range;
  stepCount += elements ? elements / elementsInAStep : 1;
  bool isTooMuch = stepCount > mostTracedSteps;
  if (isTooMuch || operationCount > mostOperations)
    failWithNote(range, {{}, "static loops and calls are written out while compiling; use range"},
                 DiagnosticId::kernel_too_large, isTooMuch ? mostTracedSteps : mostOperations);
}

} // namespace nereid::emit
