// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of kernels for GPUs, as they are linked into kernels, compiled for this machine
// instead: each within what math_functions.def promises of what long double gives. The hardware's
// approximations are taken as far off as PTX says that they may be. NEREID_TEST_FLOAT_STRIDE=1
// tries all floats.
#include "backend/nvptx/ptx/DeviceMath.h"
#include "backend/llvm/Require.h"
#include "backend/nvptx/Policy.h"
#include "backend/nvptx/ptx/DeviceMathCode.h"
#include "backend/nvptx/ptx/NvptxLaneTarget.h"
#include "dialect/tile/Kernel.h"
#include "support/FloatSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

using namespace nereid;
using namespace nereid::test;

namespace {

struct Function {
  std::string name;
  size_t arity;
  mlir::Operation *(*make)(mlir::OpBuilder &, mlir::Value, mlir::Value);
  long double (*reference)(long double, long double);
  long double promise32, promise64; // steps
};

template <typename Op> mlir::Operation *make(mlir::OpBuilder &b, mlir::Value x, mlir::Value y) {
  if constexpr (Op::template hasTrait<mlir::OpTrait::OneOperand>())
    return Op::create(b, b.getUnknownLoc(), x);
  else
    return Op::create(b, b.getUnknownLoc(), x, y);
}

const std::vector<Function> &functions() {
  static const std::vector<Function> all = {
#define MATH_FUNCTION(operation, name, arity, promise32, promise64)                                \
  {#name,                                                                                          \
   arity,                                                                                          \
   make<mlir::math::operation>,                                                                    \
   referenceOf<arity>([](auto... x) { return std::name(x...); }),                                  \
   promise32,                                                                                      \
   promise64},
#include "backend/llvm/math_functions.def"
#define MATH_FUNCTION(operation, name, arity, promise32, promise64)                                \
  {#name,                                                                                          \
   arity,                                                                                          \
   make<mlir::arith::operation>,                                                                   \
   referenceOf<arity>([](auto... x) { return std::name(x...); }),                                  \
   promise32,                                                                                      \
   promise64},
#include "backend/nvptx/ptx/device_functions.def"
  };
  return all;
}

/// The float that is `units` of its last place beside the nearest one, zero for what is not normal.
float approximately(double value, int units) {
  auto nearest = static_cast<float>(value);
  if (!std::isfinite(nearest) || std::fabs(nearest) < std::numeric_limits<float>::min())
    return std::isfinite(nearest) ? std::copysign(0.0f, nearest) : nearest;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(nearest) + units);
}

/// From -most to most, one for each number.
int someUnits(float x, int most) {
  return static_cast<int>((std::bit_cast<uint32_t>(x) * 2654435761u >> 8) % (2 * most + 1)) - most;
}

float flushed(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
}

/// PTX ISA: ex2.approx.ftz.f32 is off by two units in the last place at most, rcp.approx.ftz.f32 by
/// one.
float approximateExp2(float x) {
  return approximately(std::exp2(double(flushed(x))), someUnits(x, 2));
}
float approximateReciprocal(float x) {
  return approximately(1 / double(flushed(x)), someUnits(x, 1));
}

/// rcp.approx.ftz.f64 looks at the upper half of its argument's bits, and gives that of its
/// result's.
double approximateDoubleReciprocal(double x) {
  auto upper = [](double value) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(value) >> 32 << 32);
  };
  return upper(1 / upper(x));
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
    backend::nvptx::linkDeviceMath(*module, backend::nvptx::Policy().function_instructions);
    replace(*module, "llvm.nvvm.ex2.approx.ftz.f32", "approximateExp2", approximateExp2);
    replace(*module, "llvm.nvvm.rcp.approx.ftz.f", "approximateReciprocal", approximateReciprocal);
    replace(*module, "llvm.nvvm.rcp.approx.ftz.d", "approximateDoubleReciprocal",
            approximateDoubleReciprocal);
    // Its error is of no interest: its limits are all that is taken of it.
    replace(*module, "llvm.nvvm.lg2.approx.ftz.f", "approximateLog2",
            static_cast<float (*)(float)>(std::log2));
    EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
    backend::require(
        jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))),
        "addIRModule");
  }

  Call operator[](const std::string &name) {
    return backend::require(jit->lookup(name), "lookup").template toPtr<Call>();
  }

private:
  template <typename Model>
  void replace(llvm::Module &module, const char *intrinsic, const char *name, Model *model) {
    llvm::Function *function = module.getFunction(intrinsic);
    if (!function)
      return;
    function->replaceAllUsesWith(
        module.getOrInsertFunction(name, function->getFunctionType()).getCallee());
    function->eraseFromParent();
    backend::require(jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(
                         {{jit->mangleAndIntern(name),
                           {llvm::orc::ExecutorAddr::fromPtr(model),
                            llvm::JITSymbolFlags::Callable | llvm::JITSymbolFlags::Exported}}})),
                     "define");
  }

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

template <typename Number>
void expectPromise(const Format &format, const Function &function,
                   typename HostCode<Number>::Call call, Number x, Number y) {
  long double expected = function.reference(x, y), actual = call(x, y);
  ASSERT_EQ(std::isnan(actual), std::isnan(expected))
      << function.name << " of " << x << ", " << y << " is " << actual;
  if (!std::isnan(expected))
    // As the table has it, one more in float32 for what the hardware approximates.
    ASSERT_LE(format.steps(actual, expected),
              sizeof(Number) == 4 ? function.promise32 + 1 : function.promise64)
        << function.name << " of " << x << ", " << y << " is " << actual << ", not " << expected;
}

template <typename Number, typename Bits> void expectPromises(const Format &format) {
  if (backend::nvptx::deviceMathCode().empty())
    GTEST_SKIP() << "this build found no libclc";
  HostCode<Number> code;
  std::vector<Bits> x = numbersOf<Bits>(1), y = numbersOf<Bits>(2);
  // Each with each, for functions of two.
  using Limits = std::numeric_limits<Number>;
  const Number special[] = {0,
                            1,
                            Limits::denorm_min(),
                            Limits::min(),
                            Number(1e-30),
                            Number(1e30),
                            Limits::max(),
                            Limits::infinity(),
                            Limits::quiet_NaN()};
  for (Number a : special)
    for (Number c : special)
      for (int signs = 0; signs < 4; ++signs) {
        x.push_back(std::bit_cast<Bits>(std::copysign(a, signs & 1 ? Number(-1) : Number(1))));
        y.push_back(std::bit_cast<Bits>(std::copysign(c, signs & 2 ? Number(-1) : Number(1))));
      }
  for (const Function &function : functions()) {
    auto call = code[function.name];
    for (size_t i = 0; i < x.size() && !testing::Test::HasFatalFailure(); ++i)
      expectPromise<Number>(format, function, call, std::bit_cast<Number>(x[i]),
                            std::bit_cast<Number>(y[i]));
  }
}

TEST(DeviceMathTest, FunctionsOfFloat32AreWithinTheirPromise) {
  expectPromises<float, uint32_t>(formats[2]);
}

TEST(DeviceMathTest, FunctionsOfFloat64AreWithinTheirPromise) {
  expectPromises<double, uint64_t>(formats[3]);
}

TEST(DeviceMathTest, FunctionsOfOneFloat32AreWithinTheirPromiseEverywhere) {
  if (backend::nvptx::deviceMathCode().empty())
    GTEST_SKIP() << "this build found no libclc";
  const char *chosen = std::getenv("NEREID_TEST_FLOAT_STRIDE");
  uint64_t stride = chosen ? std::strtoull(chosen, nullptr, 10) : 16411;
  HostCode<float> code;
  for (const Function &function : functions()) {
    if (function.arity != 1)
      continue;
    auto call = code[function.name];
    for (uint64_t bits = 0; bits >> 32 == 0 && !testing::Test::HasFatalFailure(); bits += stride)
      expectPromise<float>(formats[2], function, call,
                           std::bit_cast<float>(static_cast<uint32_t>(bits)), 0);
  }
}

/// Quotients that are whole numbers, or beside one, of every size: rounded, they are one too many.
template <typename Number> void expectExactRemainders() {
  if (backend::nvptx::deviceMathCode().empty())
    GTEST_SKIP() << "this build found no libclc";
  HostCode<Number> code;
  auto remainder = code["fmod"];
  std::mt19937_64 random(7);
  for (int turn = 0; turn < 200000; ++turn) {
    auto bits = [&](unsigned most) { return double(random() >> (64 - 1 - random() % most)); };
    auto y = static_cast<Number>(std::ldexp(1 + bits(53), int(random() % 40) - 20));
    auto x = static_cast<Number>(y * bits(60));
    for (int steps = random() % 4; steps; --steps)
      x = std::nextafter(x, turn % 2 ? Number(INFINITY) : Number(0));
    x = turn % 3 ? x : -x;
    if (!std::isfinite(x))
      continue;
    ASSERT_EQ(remainder(x, y), std::fmod(x, y)) << x << " by " << y;
  }
}

TEST(DeviceMathTest, RemaindersOfFloat32AreExact) { expectExactRemainders<float>(); }
TEST(DeviceMathTest, RemaindersOfFloat64AreExact) { expectExactRemainders<double>(); }

} // namespace
