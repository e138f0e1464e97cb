// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of libdevice's functions: the types of the arguments choose what is computed.
#include "dialect/tile/Exact.h"
#include "frontend/emit/Advice.h"
#include "frontend/emit/Emitter.h"
#include "frontend/emit/names/LibraryModules.h"
#include "frontend/sema/ThreadTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace nereid::emit {

using namespace mlir;
using sema::DeviceFunction;
using sema::DeviceTypes;

namespace {

using Given = std::vector<Emitter::CallArgument>;

template <typename Op>
mlir::Value makeOperation(Emitter &emitter, mlir::Type type, ValueRange v, SourceRange range) {
  if constexpr (std::is_same_v<Op, arith::BitcastOp>)
    return emitter.make<Op>(range, type, v[0]);
  else if constexpr (Op::template hasTrait<OpTrait::OneOperand>())
    return emitter.make<Op>(range, v[0]);
  else if constexpr (Op::template hasTrait<OpTrait::NOperands<2>::Impl>())
    return emitter.make<Op>(range, v[0], v[1]);
  else
    return emitter.make<Op>(range, v[0], v[1], v[2]);
}

/// Whoever calls it asks for speed.
template <typename Op>
mlir::Value makeFast(Emitter &emitter, mlir::Type type, ValueRange v, SourceRange range) {
  mlir::Value result = makeOperation<Op>(emitter, type, v, range);
  if (auto op = result.getDefiningOp<Op>())
    op.setFastmath(arith::FastMathFlags::afn);
  return result;
}

using Maker = mlir::Value (*)(Emitter &, mlir::Type, ValueRange, SourceRange);

Maker makerOf(std::string_view name) {
  static const std::map<std::string_view, Maker> makers = {
#define DEVICE_OPERATION(name, types, operation) {#name, makeOperation<operation>},
#define DEVICE_FAST(name, types, operation) {#name, makeFast<operation>},
#include "frontend/sema/libdevice.def"
  };
  return makers.at(name);
}

std::string parameterName(size_t index) { return "arg" + std::to_string(index); }

/// The arguments in the order of the parameters, which are called arg0, arg1 and so on.
Given bind(const DeviceFunction &function, size_t count, Given given, SourceRange range) {
  std::vector<std::optional<Emitter::CallArgument>> slots(count);
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i)
    names.push_back(parameterName(i));
  size_t positional = 0;
  for (Emitter::CallArgument &argument : given) {
    size_t index = positional;
    if (argument.name.empty()) {
      if (++positional > count)
        fail(argument.range, DiagnosticId::too_many_arguments, function.name, count, given.size());
    } else {
      index = static_cast<size_t>(llvm::find(names, argument.name) - names.begin());
      if (index == count)
        failWithNotes(suggestParameter(argument.name, names),
                      diagnose(argument.nameRange, DiagnosticId::unknown_argument, function.name,
                               argument.name));
      if (slots[index])
        fail(argument.range, DiagnosticId::duplicate_argument, argument.name, function.name);
    }
    slots[index] = std::move(argument);
  }
  Given bound;
  for (size_t i = 0; i < count; ++i) {
    if (!slots[i])
      fail(range, DiagnosticId::missing_argument, names[i], function.name);
    bound.push_back(std::move(*slots[i]));
    bound.back().name.clear();
  }
  return bound;
}

bool fits(const DeviceTypes &types, llvm::ArrayRef<Tensor> operands) {
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].isPointer() || operands[i].dtype() != types.operands[i])
      return false;
  return true;
}

const DeviceTypes *choose(llvm::ArrayRef<DeviceTypes> overloads, llvm::ArrayRef<Tensor> operands) {
  const auto *found =
      llvm::find_if(overloads, [&](const DeviceTypes &types) { return fits(types, operands); });
  return found == overloads.end() ? nullptr : found;
}

/// "float32 or float64"
std::string typesAccepted(llvm::ArrayRef<DeviceTypes> overloads, size_t operand) {
  std::vector<std::string> names;
  for (const DeviceTypes &types : overloads)
    if (std::string name(nereid::name(types.operands[operand])); !llvm::is_contained(names, name))
      names.push_back(name);
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

[[noreturn]] void failTypes(const DeviceFunction &function, llvm::ArrayRef<DeviceTypes> overloads,
                            const Given &arguments, llvm::ArrayRef<Tensor> operands) {
  size_t wrong = 0;
  for (size_t i = operands.size(); i-- > 0;) {
    bool isAccepted = llvm::any_of(overloads, [&](const DeviceTypes &types) {
      return !operands[i].isPointer() && types.operands[i] == operands[i].dtype();
    });
    if (!isAccepted)
      wrong = i;
  }
  DType first = overloads.front().operands[wrong];
  failWithNote(arguments[wrong].range,
               {{}, "convert it first: x.to(tl." + std::string(nereid::name(first)) + ")"},
               DiagnosticId::argument_type, parameterName(wrong), function.name,
               typesAccepted(overloads, wrong), describe(arguments[wrong].value));
}

void broadcastAll(Emitter &emitter, llvm::MutableArrayRef<Tensor> operands, SourceRange range) {
  sema::Shape shape;
  for (const Tensor &operand : operands)
    shape = emitter.commonShape(shape, operand.shape(), range);
  for (Tensor &operand : operands)
    operand = emitter.broadcastTo(operand, shape, range);
}

/// All operands in the type that they promote to.
void promoteAll(Emitter &emitter, llvm::MutableArrayRef<Tensor> operands, std::string_view name,
                SourceRange range) {
  Tensor common = operands.front();
  for (const Tensor &operand : operands.drop_front())
    common = emitter.promoteOperands(common, operand, false, name, range).lhs;
  for (Tensor &operand : operands)
    operand = emitter.cast(operand, common.type.scalar, range);
}

/// The types that fit the operands, which are promoted to a common one if nothing fits them as they
/// are; null if nothing fits at all.
const DeviceTypes *fit(Emitter &emitter, llvm::ArrayRef<DeviceTypes> overloads,
                       llvm::SmallVectorImpl<Tensor> &operands, std::string_view name,
                       SourceRange range) {
  const DeviceTypes *types = choose(overloads, operands);
  if (types || llvm::any_of(operands, [](const Tensor &x) { return x.isPointer(); }))
    return types;
  llvm::SmallVector<Tensor, 4> promoted(operands.begin(), operands.end());
  promoteAll(emitter, promoted, name, range);
  types = choose(overloads, promoted);
  if (types)
    operands = promoted;
  return types;
}

Tensor emitOperation(Emitter &emitter, const DeviceTypes &types, llvm::ArrayRef<Tensor> operands,
                     SourceRange range) {
  sema::ValueType type = operands.front().type.with({types.result});
  llvm::SmallVector<mlir::Value, 4> values;
  for (const Tensor &operand : operands)
    values.push_back(operand.value);
  mlir::Type irType = emitter.irType(type);
  mlir::Value value = makerOf(types.row->row.empty() ? types.row->name : types.row->row)(
      emitter, irType, values, range);
  if (std::string_view(types.row->name).ends_with("_rn"))
    tile::makeExact(value);
  if (value.getType() == irType)
    return {value, type};
  // A count of bits, in the type of what they are counted in.
  return emitter.cast({value, operands.front().type}, type.scalar, range);
}

/// Functions of floats take integers, too, as doubles; the operands have one type. Those of a
/// symbol have its types.
void promoteForThreads(Emitter &emitter, llvm::ArrayRef<DeviceTypes> overloads,
                       llvm::SmallVectorImpl<Tensor> &operands, SourceRange range) {
  bool isSymbol = !overloads.front().row->row.empty();
  for (size_t i = 0; isSymbol && i < operands.size(); ++i)
    if (!operands[i].isPointer())
      operands[i] = emitter.cast(operands[i], {overloads.front().operands[i]}, range);
  bool isOfFloats =
      llvm::all_of(overloads.front().operands, [](DType type) { return isFloat(type); });
  if (isSymbol || !isOfFloats ||
      llvm::any_of(operands, [](const Tensor &x) { return x.isPointer(); }))
    return;
  DType type = operands[0].dtype();
  if (!isFloat(type))
    type = DType::Float64;
  for (const Tensor &operand : operands)
    type = *sema::threadOperandType(ast::BinaryOp::Div, type, operand.dtype());
  for (Tensor &operand : operands)
    operand = emitter.cast(operand, {type}, range);
}

/// Floats of 16 bits have no functions of their own: they are computed in float32, and the result
/// is one. Their type, where all operands have it.
std::optional<DType> widenHalves(Emitter &emitter, llvm::SmallVectorImpl<Tensor> &operands,
                                 SourceRange range) {
  DType type = operands.front().dtype();
  bool areHalves = (type == DType::Float16 || type == DType::BFloat16) &&
                   llvm::all_of(operands, [&](const Tensor &x) { return x.dtype() == type; });
  if (!areHalves)
    return std::nullopt;
  for (Tensor &operand : operands)
    operand = emitter.cast(operand, {DType::Float32}, range);
  return type;
}

} // namespace

Value Emitter::callDevice(const DeviceFunction &function, Given given, SourceRange range) {
  refuseOutsideKernels();
  std::vector<DeviceTypes> overloads = function.overloads();
  Given arguments = bind(function, overloads.front().operands.size(), std::move(given), range);
  llvm::SmallVector<Tensor, 4> operands;
  for (const CallArgument &argument : arguments)
    operands.push_back(toTensor(argument.value, argument.range));
  std::optional<DType> half;
  if (isOfThreads()) {
    promoteForThreads(*this, overloads, operands, range);
    half = widenHalves(*this, operands, range);
  }
  const DeviceTypes *types = fit(*this, overloads, operands, function.name, range);
  if (!types)
    failTypes(function, overloads, arguments, operands);
  broadcastAll(*this, operands, range);
  const DeviceFunction &row = *types->row;
  DType resultType = half && isFloat(types->result) ? *half : types->result;
  if (row.written.empty())
    return cast(emitOperation(*this, *types, operands, range), {resultType}, range);
  for (size_t i = 0; i < operands.size(); ++i)
    arguments[i].value = operands[i];
  if (!row.rounding.empty()) {
    arguments.push_back({"", dtypeValue({types->result}), range});
    arguments.push_back({"", stringValue(std::string(row.rounding)), range});
  }
  Value result = callJit(findDeviceCode(row.written), std::move(arguments), range);
  return cast(cast(*result.as<Tensor>(), {types->result}, range), {resultType}, range);
}

} // namespace nereid::emit
