// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/MmaSync.h"

#include "backend/nvptx/ptx/FragmentWords.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/FormatVariadic.h"

namespace nereid::backend::nvptx {

/// Bits of k that an instruction takes, and words in which threads hold them of a row.
static constexpr unsigned bitsOfStep = 256, wordsOfRow = 8;

MmaSync::MmaSync(Builder &builder, mlir::Type lhs, mlir::Type rhs, unsigned depth, unsigned rows,
                 unsigned columns, const target::NvidiaTarget &target)
    : b(builder), lhsType(lhs), rhsType(rhs), depth(depth), isHalf(rows <= 8),
      hasOneColumn(columns == 1), target(target) {}

void MmaSync::emit(llvm::MutableArrayRef<llvm::Value *> sums, llvm::ArrayRef<llvm::Value *> lhs,
                   llvm::ArrayRef<llvm::Value *> rhs) {
  if (!isHalf && !hasOneColumn)
    return emitWhole(sums, lhs, rhs);
  // A thread's sums are two columns of one row and of the row 8 further on.
  const unsigned column = hasOneColumn ? 2 : 1;
  llvm::SmallVector<llvm::Value *, 4> allSums(4, llvm::Constant::getNullValue(sums[0]->getType()));
  for (unsigned i = 0; i < sums.size(); ++i)
    allSums[i * column] = sums[i];
  // A word of rows 0 to 7 comes before one of rows 8 to 15.
  const size_t ofWord = depth / wordsOfRow;
  llvm::SmallVector<llvm::Value *, 16> allLhs;
  for (; !lhs.empty(); lhs = lhs.drop_front(ofWord)) {
    llvm::append_range(allLhs, lhs.take_front(ofWord));
    if (isHalf)
      allLhs.append(ofWord, llvm::Constant::getNullValue(lhs[0]->getType()));
  }
  emitWhole(allSums, allLhs, rhs);
  for (unsigned i = 0; i < sums.size(); ++i)
    sums[i] = allSums[i * column];
}

void MmaSync::emitWhole(llvm::MutableArrayRef<llvm::Value *> sums,
                        llvm::ArrayRef<llvm::Value *> lhs, llvm::ArrayRef<llvm::Value *> rhs) {
  if (lhsType.isF64())
    return emitDouble(sums, lhs, rhs);
  const unsigned steps = depth * lhsType.getIntOrFloatBitWidth() / bitsOfStep;
  for (unsigned step = 0; step < steps; ++step) {
    auto part = [&](llvm::ArrayRef<llvm::Value *> lanes) {
      llvm::SmallVector<llvm::Value *, 16> result;
      for (const size_t count = depth / wordsOfRow / steps; !lanes.empty();
           lanes = lanes.drop_front(steps * count))
        llvm::append_range(result, lanes.slice(step * count, count));
      return result;
    };
    emitInstruction("m16n8k" + std::to_string(depth / steps), sums,
                    fragmentWords(b, part(lhs), lhsType), fragmentWords(b, part(rhs), rhsType));
  }
}

/// From sm_90 on there is an instruction of this size. Before, four smaller ones: the upper and the
/// lower half of the rows, the first and the second four along k.
void MmaSync::emitDouble(llvm::MutableArrayRef<llvm::Value *> sums,
                         llvm::ArrayRef<llvm::Value *> lhs, llvm::ArrayRef<llvm::Value *> rhs) {
  if (target.version() >= 90)
    return emitInstruction("m16n8k8", sums, lhs, rhs);
  for (unsigned half : {0, 1})
    for (unsigned step : {0, 1})
      emitInstruction("m8n8k4", sums.slice(2 * half, 2), lhs[2 * step + half], rhs[step]);
}

void MmaSync::emitInstruction(llvm::StringRef shape, llvm::MutableArrayRef<llvm::Value *> sums,
                              llvm::ArrayRef<llvm::Value *> lhs,
                              llvm::ArrayRef<llvm::Value *> rhs) {
  bool isDouble = lhsType.isF64(), isInteger = lhsType.isInteger();
  llvm::StringRef sumType = isDouble ? "f64" : isInteger ? "s32" : "f32";
  auto list = [next = 0](size_t count) mutable {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(next++);
    return "{" + text + "}";
  };
  std::string d = list(sums.size()), rows = list(lhs.size()), columns = list(rhs.size());
  std::string text = llvm::formatv(
      "mma.sync.aligned.{0}.row.col.{1}.{2}.{3}.{1} {4}, {5}, {6}, {4};", shape, sumType,
      fragmentTypeName(lhsType), fragmentTypeName(rhsType), d, rows, columns);
  std::string constraints, tied;
  for (size_t i = 0; i < sums.size(); ++i) {
    constraints += isDouble ? "=d," : isInteger ? "=r," : "=f,";
    tied += (i ? "," : "") + std::to_string(i);
  }
  for (size_t i = 0; i < lhs.size() + rhs.size(); ++i)
    constraints += isDouble ? "d," : "r,";
  llvm::SmallVector<llvm::Value *, 12> inputs(lhs.begin(), lhs.end());
  inputs.append(rhs.begin(), rhs.end());
  inputs.append(sums.begin(), sums.end());
  llvm::SmallVector<llvm::Type *, 12> types;
  for (llvm::Value *input : inputs)
    types.push_back(input->getType());
  llvm::SmallVector<llvm::Type *, 4> results(sums.size(), sums[0]->getType());
  auto *code = llvm::InlineAsm::get(
      llvm::FunctionType::get(llvm::StructType::get(b.getContext(), results), types, false), text,
      constraints + tied, /*hasSideEffects=*/false);
  llvm::CallInst *call = b.CreateCall(code, inputs);
  call->addFnAttr(llvm::Attribute::Convergent);
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] = b.CreateExtractValue(call, i);
}

} // namespace nereid::backend::nvptx
