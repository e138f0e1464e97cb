// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operators, conversions and shapes make of numbers and tiles, without a kernel's text.
#include "frontend/emit/tiles/TileBuilder.h"

#include "dialect/tile/Kernel.h"

#include "mlir/IR/Matchers.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

using namespace mlir;
using ast::BinaryOp;
using ast::CompareOp;
using emit::Tensor;
using emit::Value;
using sema::ConstantValue;

class Builder final : public emit::TileBuilder {
public:
  explicit Builder(MLIRContext *context) : TileBuilder(context) {
    builder.setInsertionPointToEnd(module->getBody());
  }
  Tensor number(int64_t value, DType type = DType::Int32) { return integer(value, type, {}); }
  Tensor tile(std::vector<int64_t> shape) { return splat(number(1), shape, {}); }

  emit::Surroundings around;

private:
  emit::Surroundings surroundings() const override { return around; }
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
};

class TileBuilder : public testing::Test {
protected:
  std::unique_ptr<MLIRContext> context = tile::createContext();
  Builder make{context.get()};

  /// What an operation came to, which constants fold.
  static int64_t known(const Tensor &tensor) {
    APInt value;
    EXPECT_TRUE(matchPattern(tensor.value, m_ConstantInt(&value)));
    return value.getSExtValue();
  }
  template <typename Act> static DiagnosticId mistakeOf(Act act) {
    try {
      act();
    } catch (const SourceError &error) {
      return error.diagnostic.id;
    }
    ADD_FAILURE() << "no mistake";
    return {};
  }
};

TEST_F(TileBuilder, DividesAsTritonOrAsPython) {
  for (auto [lhs, rhs] : {std::pair{-7, 2}, {7, -2}, {-7, -2}, {7, 2}, {-8, 2}, {0, 5}}) {
    emit::OperandPair pair{make.number(lhs), make.number(rhs)};
    EXPECT_EQ(known(make.divide(BinaryOp::FloorDiv, pair, false, {})), lhs / rhs);
    EXPECT_EQ(known(make.divide(BinaryOp::Mod, pair, false, {})), lhs % rhs);
    int64_t floor = (lhs - (lhs % rhs + rhs) % rhs) / rhs;
    EXPECT_EQ(known(make.divide(BinaryOp::FloorDiv, pair, true, {})), floor) << lhs << ' ' << rhs;
    EXPECT_EQ(known(make.divide(BinaryOp::Mod, pair, true, {})), lhs - floor * rhs);
  }
  Tensor quotient = make.divide(BinaryOp::Div, {make.number(1), make.number(2)}, false, {});
  EXPECT_EQ(quotient.dtype(), DType::Float32);
}

TEST_F(TileBuilder, ShiftsBySignOrByBits) {
  emit::OperandPair pair{make.number(-8), make.number(1)};
  EXPECT_EQ(known(make.combineBits(BinaryOp::Shr, pair, true, {})), -4);
  EXPECT_EQ(known(make.combineBits(BinaryOp::Shr, pair, false, {})), 0x7ffffffc);
}

TEST_F(TileBuilder, NumbersTakeTheTypeOfTensors) {
  ConstantValue five = sema::Integer(5);
  emit::OperandPair pair =
      make.promoteOperands(make.number(3, DType::Int16), Value(five), false, "+", {});
  EXPECT_EQ(pair.rhs.dtype(), DType::Int16);
  EXPECT_EQ(known(make.arithmetic<arith::AddFOp, arith::AddIOp>(pair, {})), 8);
  EXPECT_EQ(known(make.minimumOrMaximum(true, make.number(3), Value(five), false, {})), 5);
  EXPECT_EQ(make.compareSame(CompareOp::Lt, pair, {}).dtype(), DType::Int1);
}

TEST_F(TileBuilder, ShapesMeetOrAreAMistake) {
  emit::OperandPair pair = make.broadcast(make.tile({2, 1}), make.tile({4}), {});
  EXPECT_EQ(pair.lhs.shape(), (sema::Shape{2, 4}));
  EXPECT_EQ(pair.rhs.shape(), (sema::Shape{2, 4}));
  EXPECT_EQ(mistakeOf([&] { make.broadcast(make.tile({2}), make.tile({4}), {}); }),
            DiagnosticId::shape_mismatch);
  EXPECT_EQ(make.wrapAxis(sema::Integer(-1), 2, {}), 1);
  EXPECT_EQ(mistakeOf([&] { make.wrapAxis(sema::Integer(2), 2, {}); }),
            DiagnosticId::axis_out_of_range);
  int64_t many = emit::TileBuilder::mostElements * 2;
  EXPECT_EQ(mistakeOf([&] { make.checkShape({many}, {}); }), DiagnosticId::tile_too_large);
}

TEST_F(TileBuilder, LiteralsAreWiderInKernelsOfThreads) {
  ConstantValue half = 0.5;
  EXPECT_EQ(make.toTensor(Value(half), {}).dtype(), DType::Float32);
  make.around.isOfThreads = true;
  EXPECT_EQ(make.toTensor(Value(half), {}).dtype(), DType::Float64);
}

TEST_F(TileBuilder, NothingIsMadeOutsideKernels) {
  make.around.isHost = true;
  EXPECT_EQ(mistakeOf([&] { make.number(1); }), DiagnosticId::not_constexpr);
  Value two(ConstantValue(sema::Integer(2)));
  EXPECT_TRUE(make.decay(two, {}).is<ConstantValue>()); // Python's own number
  make.around.isHost = false;
  EXPECT_TRUE(make.decay(two, {}).is<Tensor>());
}

TEST_F(TileBuilder, OperationsOfACalleeNameTheCall) {
  SourceFile file("k.py", "x\n");
  SourceRange range{&file, 0, 1};
  EXPECT_TRUE(isa<FileLineColLoc>(make.locate(range)));
  Location call = make.locate(range);
  make.around.callSite = &call;
  EXPECT_TRUE(isa<CallSiteLoc>(make.locate(range)));
}

TEST_F(TileBuilder, TextsThatExplodeAreToldSoon) {
  EXPECT_EQ(mistakeOf([&] {
              for (int i = 0; i < 100; ++i)
                make.countStep({}, emit::TileBuilder::mostElements);
            }),
            DiagnosticId::kernel_too_large);
}

} // namespace
} // namespace nereid::test
