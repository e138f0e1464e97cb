// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes tile IR of numbers and tiles: constants, conversions, shapes and what operators compute. It
// knows no names, no statements and no syntax tree; what stands around the text at hand it asks.
#pragma once

#include "frontend/emit/Value.h"
#include "frontend/names/Language.h"

#include "dialect/tile/Tile.h"
#include "support/Diagnostics.h"

#include "frontend/ast/Ast.h"
#include "mlir/IR/Builders.h"

#include <map>

namespace nereid::emit {

/// Operands brought to one type and shape.
struct OperandPair {
  Tensor lhs, rhs;
};

/// Where the text at hand stands.
struct Surroundings {
  /// Outside kernels, where Python would compute: there are no operations.
  bool isHost = false;
  /// In what one thread does, in Numba's terms (docs/threads.md).
  bool isOfThreads = false;
  /// The call that is being traced; null in the kernel itself.
  const mlir::Location *callSite = nullptr;
};

class TileBuilder : mlir::OpBuilder::Listener {
public:
  /// `context` may be null if nothing makes operations.
  explicit TileBuilder(mlir::MLIRContext *context) : builder(context, this) {}

  mlir::Location locate(SourceRange range);
  /// Refuses what makes operations where there are none.
  void refuseOutsideKernels();
  bool isOfThreads() const { return surroundings().isOfThreads; }
  /// The type of a number of the text where nothing else decides.
  DType literalType(const sema::ConstantValue &number) const;
  /// Ends the compilation when tracing has produced or looked at too much.
  /// `elements`: how many were made or copied; zero stands for a step of its own.
  void countStep(SourceRange range, uint64_t elements = 0);
  uint64_t steps() const { return stepCount; }

  template <typename Op, typename... Args> mlir::Value make(SourceRange range, Args &&...args) {
    return builder.createOrFold<Op>(locate(range), std::forward<Args>(args)...);
  }
  /// An elementwise operation whose result has the type of its first operand. On floats of 8 bits
  /// it is computed in float32 and rounded like any other conversion: what MLIR makes of their own
  /// arithmetic on constants overflows to NaN.
  template <typename Op, typename... Rest>
  Tensor like(SourceRange range, const Tensor &first, Rest &&...rest) {
    auto widened = [&](const Tensor &tensor) { return cast(tensor, {DType::Float32}, range); };
    if (!first.isPointer() && isFloat8(first.dtype()))
      return cast(like<Op>(range, widened(first), widened(rest)...), first.type.scalar, range);
    return {make<Op>(range, first.value, std::forward<Rest>(rest).value...), first.type};
  }

  // TileOperators.cpp
  /// Promotes and broadcasts two operands, which are no pointers.
  OperandPair promoteOperands(const Value &lhs, const Value &rhs, bool isDivision,
                              std::string_view op, SourceRange range);
  template <typename FloatOp, typename SignedOp, typename UnsignedOp = SignedOp>
  Tensor arithmetic(const OperandPair &pair, SourceRange range) {
    if (isFloat(pair.lhs.dtype()))
      return like<FloatOp>(range, pair.lhs, pair.rhs);
    if (isSigned(pair.lhs.dtype()))
      return like<SignedOp>(range, pair.lhs, pair.rhs);
    return like<UnsignedOp>(range, pair.lhs, pair.rhs);
  }
  /// Shifts and what is done bit by bit; a shift to the right keeps the sign if it is arithmetic.
  Tensor combineBits(ast::BinaryOp op, const OperandPair &pair, bool isArithmetic,
                     SourceRange range);
  /// Division as Triton has it, or `floors`, as Python has it for integers.
  Tensor divide(ast::BinaryOp op, OperandPair pair, bool floors, SourceRange range);
  /// The comparison of two operands of one type.
  Tensor compareSame(ast::CompareOp op, OperandPair pair, SourceRange range);
  Tensor offset(const Tensor &pointer, const Tensor &amount, bool isNegative, SourceRange range);
  Tensor minimumOrMaximum(bool isMaximum, Value lhs, Value rhs, bool propagateNan,
                          SourceRange range);

  // Casts.cpp
  Tensor cast(const Tensor &value, sema::ScalarType type, SourceRange range);
  /// A float as a narrower one, with what does not fit cut off.
  Tensor castTowardZero(const Tensor &value, sema::ScalarType type, SourceRange range);
  Tensor bitcast(const Tensor &value, sema::ScalarType type, SourceRange range);
  /// Numbers become scalars of their natural type; anything without a run-time form is refused.
  Tensor toTensor(const Value &value, SourceRange range);
  Tensor constant(const sema::ConstantValue &number, sema::ScalarType type, SourceRange range);
  Tensor integer(int64_t value, DType type, SourceRange range);
  Tensor notZero(const Tensor &value, SourceRange range);
  /// What assignment does to numbers, in tuples as well: they become scalars. Everything else stays
  /// as it is.
  Value decay(const Value &value, SourceRange range);

  // Broadcast.cpp
  mlir::Type irType(sema::ScalarType type);
  mlir::Type irType(const sema::ValueType &type);
  static constexpr int64_t mostElements = names::mostElements; // of a tile
  void checkShape(llvm::ArrayRef<int64_t> shape, SourceRange range);
  sema::Shape commonShape(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs,
                          SourceRange range);
  Tensor broadcastTo(const Tensor &value, llvm::ArrayRef<int64_t> shape, SourceRange range);
  OperandPair broadcast(const Tensor &lhs, const Tensor &rhs, SourceRange range);
  Tensor splat(const Tensor &scalar, llvm::ArrayRef<int64_t> shape, SourceRange range);
  Tensor expandDims(const Tensor &value, int64_t axis, SourceRange range);
  Tensor reshape(const Tensor &value, llvm::ArrayRef<int64_t> shape, SourceRange range);
  Tensor permute(const Tensor &value, llvm::ArrayRef<int64_t> order, SourceRange range);
  Tensor arange(int64_t start, int64_t end, SourceRange range);
  /// `axis` counted from the front, checked against `rank`.
  int64_t wrapAxis(sema::Integer axis, int64_t rank, SourceRange range);

  mlir::OpBuilder builder;

protected:
  ~TileBuilder() = default;
  virtual Surroundings surroundings() const = 0;

  /// What is being evaluated, for mistakes that are found without knowing their place.
  SourceRange currentRange;

private:
  void notifyOperationInserted(mlir::Operation *, mlir::OpBuilder::InsertPoint) override {
    ++operationCount;
  }

  uint64_t operationCount = 0, stepCount = 0;
  std::map<const SourceFile *, mlir::StringAttr> fileNames;
};

[[noreturn]] void failOperands(std::string_view op, const Value &lhs, const Value &rhs,
                               SourceRange range);

} // namespace nereid::emit
