// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that kernels for GPUs call, as they are linked into kernels, compiled for this
// machine instead: each within 4 steps of what long double gives, as functions are elsewhere
// (MathTest.cpp).
#include "backend/nvptx/DeviceMath.h"
#include "backend/llvm/Require.h"
#include "backend/nvptx/DeviceMathCode.h"
#include "backend/nvptx/NvptxLaneTarget.h"
#include "dialect/tile/Kernel.h"
#include "support/FloatSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

using namespace nereid;
using namespace nereid::test;

namespace {

struct Function {
  std::string name;
  size_t arity;
  mlir::Operation *(*make)(mlir::OpBuilder &, mlir::Value, mlir::Value);
  long double (*reference)(long double, long double);
  long double allowed; // steps
};

template <typename Op> mlir::Operation *make(mlir::OpBuilder &b, mlir::Value x, mlir::Value y) {
  if constexpr (Op::template hasTrait<mlir::OpTrait::OneOperand>())
    return Op::create(b, b.getUnknownLoc(), x);
  else
    return Op::create(b, b.getUnknownLoc(), x, y);
}

const std::vector<Function> &functions() {
  static const std::vector<Function> all = {
#define MATH_FUNCTION(operation, name, arity)                                                      \
  {#name, arity, make<mlir::math::operation>,                                                      \
   referenceOf<arity>([](auto... x) { return std::name(x...); }), 4},
#include "backend/llvm/math_functions.def"
#define MATH_FUNCTION(operation, name, arity)                                                      \
  {#name, arity, make<mlir::arith::operation>,                                                     \
   referenceOf<arity>([](auto... x) { return std::name(x...); }), 0},
#include "backend/nvptx/device_functions.def"
  };
  return all;
}

template <typename Number> class HostCode {
public:
  using Call = Number (*)(Number, Number);

  HostCode() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto context = std::make_unique<llvm::LLVMContext>();
    jit = backend::require(llvm::orc::LLJITBuilder().create(), "LLJIT");
    auto module = std::make_unique<llvm::Module>("host", *context);
    module->setTargetTriple(jit->getTargetTriple());
    module->setDataLayout(jit->getDataLayout());
    for (const Function &function : functions())
      emit(*module, function);
    backend::nvptx::linkDeviceMath(*module);
    EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
    backend::require(
        jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))),
        "addIRModule");
  }

  Call operator[](const std::string &name) {
    return backend::require(jit->lookup(name), "lookup").template toPtr<Call>();
  }

private:
  void emit(llvm::Module &module, const Function &function) {
    backend::Builder b(module.getContext());
    constexpr bool isDouble = sizeof(Number) == 8;
    llvm::Type *type = isDouble ? b.getDoubleTy() : b.getFloatTy();
    auto *code = llvm::Function::Create(llvm::FunctionType::get(type, {type, type}, false),
                                        llvm::Function::ExternalLinkage, function.name, module);
    b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", code));
    std::unique_ptr<mlir::MLIRContext> context = tile::createContext();
    mlir::OpBuilder builder(context.get());
    mlir::OwningOpRef<mlir::ModuleOp> holder = mlir::ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToStart(holder->getBody());
    mlir::Type element = isDouble ? mlir::Type(builder.getF64Type()) : builder.getF32Type();
    mlir::Value x = mlir::arith::ConstantOp::create(builder, builder.getUnknownLoc(),
                                                    builder.getFloatAttr(element, 1));
    backend::nvptx::NvptxLaneTarget target;
    backend::LaneBuilder lanes(b, target);
    llvm::SmallVector<llvm::Value *, 2> operands = {code->getArg(0)};
    if (function.arity == 2)
      operands.push_back(code->getArg(1));
    llvm::Value *result =
        backend::nvptx::callDeviceMath(lanes, function.make(builder, x, x), operands);
    ASSERT_TRUE(result) << function.name;
    b.CreateRet(result);
  }

  std::unique_ptr<llvm::orc::LLJIT> jit;
};

template <typename Number, typename Bits> void expectPromises(const Format &format) {
  if (backend::nvptx::deviceMathCode().empty())
    GTEST_SKIP() << "this build found no libclc";
  HostCode<Number> code;
  std::vector<Bits> x = numbersOf<Bits>(1), y = numbersOf<Bits>(2);
  for (const Function &function : functions()) {
    // Kernels have the hardware's exponential instead.
    if (sizeof(Number) == 4 && (function.name == "exp" || function.name == "exp2"))
      continue;
    auto call = code[function.name];
    for (size_t i = 0; i < x.size(); ++i) {
      long double a = format.value(x[i]), b = format.value(y[i]);
      long double expected = function.reference(a, b);
      long double actual = call(std::bit_cast<Number>(x[i]), std::bit_cast<Number>(y[i]));
      ASSERT_EQ(std::isnan(actual), std::isnan(expected))
          << function.name << " of " << a << ", " << b << " is " << actual;
      if (!std::isnan(expected))
        ASSERT_LE(format.steps(actual, expected), function.allowed)
            << function.name << " of " << a << ", " << b << " is " << actual << ", not "
            << expected;
    }
  }
}

TEST(DeviceMathTest, FunctionsOfFloat32AreWithinTheirPromise) {
  expectPromises<float, uint32_t>(formats[2]);
}

TEST(DeviceMathTest, FunctionsOfFloat64AreWithinTheirPromise) {
  expectPromises<double, uint64_t>(formats[3]);
}

} // namespace
