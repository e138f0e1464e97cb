// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/assembly/PtxMachine.h"

#include "frontend/emit/names/LibraryModules.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace nereid::emit::ptx {

using namespace mlir;
using ast::BinaryOp;
using ast::CompareOp;
using sema::ConstantValue;

bool isWait(const Instruction &instruction) {
  const std::vector<std::string> &words = instruction.words;
  // All threads of a program wait at barrier 0; the others are for parts of them.
  bool isBarrier = (words[0] == "bar" || words[0] == "barrier") && words.size() == 2 &&
                   words[1] == "sync" && instruction.operands.size() == 1 &&
                   instruction.operands[0].kind == Operand::Kind::Number &&
                   instruction.operands[0].bits == 0 && !instruction.guard;
  return isBarrier || words[0] == "fence" || words[0] == "membar";
}

void Machine::run(const Instruction &instruction) {
  current = &instruction;
  using Act = void (Machine::*)();
  static const std::map<std::string_view, Act> acts = {
      {"mov", &Machine::runMove},    {"cvt", &Machine::runConvert}, {"setp", &Machine::runCompare},
      {"selp", &Machine::runSelect}, {"lop3", &Machine::runLookup}, {"prmt", &Machine::runPermute},
      {"and", &Machine::runBits},    {"or", &Machine::runBits},     {"xor", &Machine::runBits},
      {"not", &Machine::runBits},    {"shl", &Machine::runBits},    {"shr", &Machine::runBits},
      {"bfe", &Machine::runExtract}, {"bfi", &Machine::runInsert},  {"shf", &Machine::runFunnel},
      {"dp4a", &Machine::runBytes},
  };
  const std::string &name = instruction.words.front();
  if (isWait(instruction)) {
    tile::BarrierOp::create(emitter.builder, emitter.locate(range));
    return;
  }
  if (instruction.operands.empty())
    refuse();
  auto act = acts.find(name);
  (this->*(act == acts.end() ? &Machine::runArithmetic : act->second))();
}

void Machine::runMove() {
  allow({});
  OperandType type = typeOf(current->words.back());
  if (type.dtype == DType::Int1)
    return write(readPredicate(current->operands[1]));
  write(read(1, type));
}

// Arithmetic

Tensor Machine::number(double value, const Tensor &like) {
  Tensor scalar = emitter.constant(ConstantValue(value), like.type.scalar, range);
  return emitter.splat(scalar, like.shape(), range);
}

/// Narrow floats are computed with in float32, and rounded once.
Tensor Machine::inFloat32(const Tensor &x, llvm::function_ref<Tensor(const Tensor &)> compute) {
  if (bitWidth(x.dtype()) >= 32)
    return compute(x);
  return emitter.cast(compute(emitter.cast(x, {DType::Float32}, range)), x.type.scalar, range);
}

Tensor Machine::device(std::string_view function, std::vector<Tensor> operands) {
  std::vector<Emitter::CallArgument> arguments;
  for (Tensor &operand : operands)
    arguments.push_back({"", std::move(operand), range});
  Value result = emitter.callDevice(*sema::findDeviceFunction(function), arguments, range);
  return *result.as<Tensor>();
}

/// What the instruction gives on its own machine; others compute it as accurately as any.
template <typename Op>
static Tensor approximated(Emitter &emitter, SourceRange range, const Tensor &x) {
  Tensor result = emitter.like<Op>(range, x);
  if (auto op = result.value.getDefiningOp<Op>())
    op.setFastmath(arith::FastMathFlags::afn);
  return result;
}

Tensor Machine::floatFunction(std::string_view name, const Tensor &x) {
  return inFloat32(x, [&](const Tensor &wide) -> Tensor {
    if (name == "abs")
      return emitter.like<math::AbsFOp>(range, wide);
    if (name == "neg")
      return emitter.like<arith::NegFOp>(range, wide);
    if (name == "ex2")
      return emitter.like<math::Exp2Op>(range, wide);
    if (name == "lg2")
      return approximated<math::Log2Op>(emitter, range, wide);
    if (name == "sqrt")
      return emitter.like<math::SqrtOp>(range, wide);
    if (name == "rsqrt")
      return emitter.like<math::RsqrtOp>(range, wide);
    if (name == "sin")
      return approximated<math::SinOp>(emitter, range, wide);
    if (name == "cos")
      return approximated<math::CosOp>(emitter, range, wide);
    if (name == "rcp")
      return emitter.like<arith::DivFOp>(range, number(1, wide), wide);
    if (name == "tanh")
      return approximated<math::TanhOp>(emitter, range, wide);
    refuse();
  });
}

Tensor Machine::leastOrGreatest(const Tensor &x, const Tensor &y) {
  bool isMaximum = current->words.front() == "max";
  if (!has("xorsign"))
    return emitter.minimumOrMaximum(isMaximum, x, y, has("NaN"), range);
  if (!has("abs") || x.dtype() != DType::Float32)
    refuse();
  // The size of the lesser or greater, with the product of both signs.
  Tensor size = emitter.minimumOrMaximum(isMaximum, floatFunction("abs", x),
                                         floatFunction("abs", y), has("NaN"), range);
  Tensor signs = emitter.like<arith::XOrIOp>(range, toBits(x), toBits(y));
  signs = emitter.like<arith::AndIOp>(range, signs, constantBits(0x80000000, 32));
  return asType(emitter.like<arith::OrIOp>(range, toBits(size), signs), DType::Float32);
}

/// Stops at the ends of int32.
Tensor Machine::saturated(BinaryOp op, const Tensor &x, const Tensor &y) {
  if (x.dtype() != DType::Int32)
    refuse();
  Tensor exact = *emitter
                      .binary(op, emitter.cast(x, {DType::Int64}, range),
                              emitter.cast(y, {DType::Int64}, range), range)
                      .as<Tensor>();
  auto bound = [&](int64_t value) {
    return asType(constantBits(uint64_t(value), 64), DType::Int64);
  };
  exact = emitter.minimumOrMaximum(true, exact, bound(INT32_MIN), false, range);
  exact = emitter.minimumOrMaximum(false, exact, bound(INT32_MAX), false, range);
  return emitter.cast(exact, {DType::Int32}, range);
}

Tensor Machine::integerArithmetic(llvm::ArrayRef<Tensor> x) {
  const std::string &name = current->words.front();
  bool multiplies = name == "mul" || name == "mad", sums = name == "add" || name == "sub";
  allow(multiplies ? Words({"lo", "hi", "wide"}) : sums ? Words({"sat"}) : Words());
  auto two = [&](BinaryOp op) {
    return has("sat") ? saturated(op, x[0], x[1])
                      : *emitter.binary(op, x[0], x[1], range).as<Tensor>();
  };
  if (x.size() == 1 && name == "neg")
    return *emitter.unary(ast::UnaryOp::Minus, x[0], range).as<Tensor>();
  if (x.size() == 1 && name == "abs" && isSigned(x[0].dtype()))
    return emitter.like<math::AbsIOp>(range, x[0]);
  if (x.size() == 1 && (name == "popc" || name == "clz" || name == "brev") &&
      bitWidth(x[0].dtype()) == 32)
    return device(name, {emitter.bitcast(x[0], {DType::Int32}, range)});
  if (x.size() == 2 && (name == "min" || name == "max"))
    return leastOrGreatest(x[0], x[1]);
  if (x.size() == 2 && (name == "add" || name == "sub"))
    return two(name == "add" ? BinaryOp::Add : BinaryOp::Sub);
  if (x.size() == 2 && (name == "div" || name == "rem"))
    return two(name == "div" ? BinaryOp::FloorDiv : BinaryOp::Mod);
  bool isProduct = (x.size() == 2 && name == "mul") || (x.size() == 3 && name == "mad");
  if (!isProduct)
    refuse();
  Tensor result = product(x[0], x[1]);
  return x.size() == 2 ? result : emitter.like<arith::AddIOp>(range, result, x[2]);
}

Tensor Machine::arithmetic(llvm::ArrayRef<Tensor> x, OperandType type) {
  if (!isFloat(type.dtype))
    return integerArithmetic(x);
  const std::string &name = current->words.front();
  if (name == "min" || name == "max")
    allow({"ftz", "NaN", "xorsign", "abs"});
  else
    allow({"rn", "approx", "full", "ftz", "sat"});
  Tensor result;
  if (x.size() == 1)
    result = floatFunction(name, x[0]);
  else if (x.size() == 2 && name == "add")
    result = emitter.like<arith::AddFOp>(range, x[0], x[1]);
  else if (x.size() == 2 && name == "sub")
    result = emitter.like<arith::SubFOp>(range, x[0], x[1]);
  else if (x.size() == 2 && name == "mul")
    result = emitter.like<arith::MulFOp>(range, x[0], x[1]);
  else if (x.size() == 2 && name == "div")
    result = emitter.like<arith::DivFOp>(range, x[0], x[1]);
  else if (x.size() == 2 && (name == "min" || name == "max"))
    result = emitter.cast(leastOrGreatest(x[0], x[1]), {type.dtype}, range);
  else if (x.size() == 3 && (name == "fma" || name == "mad"))
    result = emitter.like<math::FmaOp>(range, x[0], x[1], x[2]);
  else
    refuse();
  if (!has("sat"))
    return result;
  result = emitter.minimumOrMaximum(true, result, number(0, result), false, range);
  return emitter.minimumOrMaximum(false, result, number(1, result), false, range);
}

void Machine::runArithmetic() {
  OperandType type = typeOf(current->words.back());
  if (type.isBits) // popc, clz and brev ask for bits alone
    type.isBits = false;
  std::vector<Tensor> lower, upper;
  for (size_t i = 1; i < current->operands.size(); ++i) {
    OperandType here = has("wide") && i == 3 ? OperandType{doubled(type.dtype)} : type;
    Tensor bits = read(i, here);
    lower.push_back(asType(type.isPair ? lowerHalf(bits) : bits, here.dtype));
    if (type.isPair)
      upper.push_back(asType(upperHalf(bits), type.dtype));
  }
  Tensor result = toBits(arithmetic(lower, type));
  write(type.isPair ? joined(result, toBits(arithmetic(upper, type))) : result);
}

void Machine::runBits() {
  allow({});
  const std::string &name = current->words.front();
  OperandType type = typeOf(current->words.back());
  if (type.dtype == DType::Int1) {
    Tensor x = readPredicate(current->operands[1]);
    if (name == "not")
      return write(*emitter.logicalNot(x, range).as<Tensor>());
    Tensor y = readPredicate(current->operands[2]);
    BinaryOp op = name == "and"   ? BinaryOp::And
                  : name == "or"  ? BinaryOp::Or
                  : name == "xor" ? BinaryOp::Xor
                                  : (refuse(), BinaryOp::And);
    return write(*emitter.binary(op, x, y, range).as<Tensor>());
  }
  Tensor x = asType(read(1, type), type.dtype);
  if (name == "not")
    return write(*emitter.unary(ast::UnaryOp::Invert, x, range).as<Tensor>());
  bool isShift = name == "shl" || name == "shr";
  Tensor y = isShift ? resize(read(2, {DType::UInt32}), type.width()) : read(2, type);
  y = asType(y, type.dtype);
  BinaryOp op = name == "and"   ? BinaryOp::And
                : name == "or"  ? BinaryOp::Or
                : name == "xor" ? BinaryOp::Xor
                : name == "shl" ? BinaryOp::Shl
                                : BinaryOp::Shr;
  write(toBits(*emitter.binary(op, x, y, range).as<Tensor>()));
}

// Conversions

Tensor Machine::rounded(const Tensor &x) {
  return inFloat32(x, [&](const Tensor &wide) -> Tensor {
    if (has("rmi"))
      return emitter.like<math::FloorOp>(range, wide);
    if (has("rpi"))
      return emitter.like<math::CeilOp>(range, wide);
    return device(has("rzi") ? "trunc" : has("rni") ? "rint" : (refuse(), ""), {wide});
  });
}

Tensor Machine::converted(Tensor value, OperandType from, OperandType to) {
  bool fromFloat = isFloat(from.dtype), toFloat = isFloat(to.dtype);
  if (fromFloat && (!toFloat || has("rni") || has("rzi") || has("rmi") || has("rpi")))
    value = rounded(value);
  if (fromFloat && toFloat && has("rz"))
    value = emitter.castTowardZero(value, {to.dtype}, range);
  if (has("relu"))
    value = emitter.minimumOrMaximum(true, value, number(0, value), false, range);
  return emitter.cast(value, {to.dtype}, range);
}

void Machine::runConvert() {
  allow({"rn", "rz", "rna", "rni", "rzi", "rmi", "rpi", "satfinite", "relu", "ftz", "e4m3x2",
         "e5m2x2", "e2m1x2"});
  if (current->words.size() < 3)
    refuse();
  if (has("tf32"))
    return runTensorFloat();
  if (has("e2m1x2"))
    return runFourBits();
  if (has("rna"))
    refuse();
  OperandType to = typeOf(current->words[current->words.size() - 2]),
              from = typeOf(current->words.back());
  auto convert = [&](const Tensor &bits) {
    return toBits(converted(asType(bits, from.dtype), from, to));
  };
  if (to.isPair && current->operands.size() == 3) // the first operand becomes the upper half
    return write(joined(convert(read(2, from)), convert(read(1, from))));
  if (to.isPair != from.isPair || current->operands.size() != 2)
    refuse();
  Tensor bits = read(1, from);
  write(to.isPair ? joined(convert(lowerHalf(bits)), convert(upperHalf(bits))) : convert(bits));
}

// Predicates

void Machine::runCompare() {
  static const std::map<std::string_view, CompareOp> ops = {
      {"eq", CompareOp::Eq}, {"ne", CompareOp::Ne}, {"lt", CompareOp::Lt}, {"le", CompareOp::Le},
      {"gt", CompareOp::Gt}, {"ge", CompareOp::Ge}, {"lo", CompareOp::Lt}, {"ls", CompareOp::Le},
      {"hi", CompareOp::Gt}, {"hs", CompareOp::Ge}, {"neu", CompareOp::Ne}};
  auto op = current->words.size() > 2 ? ops.find(current->words[1]) : ops.end();
  OperandType type = typeOf(current->words.back());
  bool isOrderedNe = isFloat(type.dtype) && op != ops.end() && op->first == "ne";
  if (op == ops.end() || current->operands.size() != 3 || type.isPair || isOrderedNe ||
      (current->words.size() > 3 && !has("ftz")))
    refuse();
  write(*emitter
             .compare(op->second, asType(read(1, type), type.dtype),
                      asType(read(2, type), type.dtype), range)
             .as<Tensor>());
}

void Machine::runSelect() {
  allow({});
  if (current->operands.size() != 4)
    refuse();
  OperandType type = typeOf(current->words.back());
  Tensor condition = readPredicate(current->operands[3]), x = read(1, type), y = read(2, type);
  write({emitter.make<arith::SelectOp>(range, condition.value, x.value, y.value), x.type});
}

/// The bits for which the table of three inputs is true, as a sum of its rows.
void Machine::runLookup() {
  allow({});
  if (current->operands.size() != 5 || current->operands[4].kind != Operand::Kind::Number)
    refuse();
  Tensor inputs[] = {read(1, {DType::UInt32}), read(2, {DType::UInt32}), read(3, {DType::UInt32})};
  Tensor result = constantBits(0, 32), ones = constantBits(~uint64_t(0), 32);
  for (unsigned row = 0; row < 8; ++row) {
    if (((current->operands[4].bits >> row) & 1) == 0)
      continue;
    Tensor here = ones;
    for (unsigned i = 0; i < 3; ++i) {
      bool isSet = ((row >> (2 - i)) & 1) != 0;
      Tensor bits = isSet ? inputs[i] : emitter.like<arith::XOrIOp>(range, inputs[i], ones);
      here = emitter.like<arith::AndIOp>(range, here, bits);
    }
    result = emitter.like<arith::OrIOp>(range, result, here);
  }
  write(result);
}

void Machine::runPermute() {
  allow({});
  if (current->words.size() != 2 || current->operands.size() != 4)
    refuse();
  std::vector<Tensor> operands;
  for (size_t i = 1; i <= 3; ++i)
    operands.push_back(asType(read(i, {DType::UInt32}), DType::Int32));
  write(toBits(device("byte_perm", std::move(operands))));
}

} // namespace nereid::emit::ptx
