// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Program ids, tiles from nothing, ranges of loops, and promises.
#include "frontend/emit/Arguments.h"
#include "frontend/emit/Capability.h"

#include <bit>

namespace nereid::emit {

using sema::ConstantValue;

static mlir::IntegerAttr axisOf(Emitter &emitter, const Arguments &arguments) {
  sema::Integer axis = arguments.integer("axis");
  if (axis < 0 || axis > 2)
    arguments.failValue("axis", "0, 1 or 2");
  return emitter.builder.getI32IntegerAttr(static_cast<int32_t>(axis));
}

Value program_idBuiltin(Emitter &emitter, const Arguments &arguments) {
  mlir::IntegerAttr axis = axisOf(emitter, arguments);
  mlir::Type type = emitter.builder.getI32Type();
  return Tensor{emitter.make<tile::ProgramIdOp>(arguments.callRange(), type, axis),
                {{DType::Int32}, {}}};
}

Value num_programsBuiltin(Emitter &emitter, const Arguments &arguments) {
  mlir::IntegerAttr axis = axisOf(emitter, arguments);
  mlir::Type type = emitter.builder.getI32Type();
  return Tensor{emitter.make<tile::NumProgramsOp>(arguments.callRange(), type, axis),
                {{DType::Int32}, {}}};
}

Value arangeBuiltin(Emitter &emitter, const Arguments &arguments) {
  sema::Integer start = arguments.integer("start"), end = arguments.integer("end");
  for (const char *name : {"start", "end"})
    if (sema::Integer bound = arguments.integer(name); bound < INT32_MIN || bound > INT32_MAX)
      arguments.failValue(name, "an int32");
  if (end <= start)
    arguments.failValue("end", "greater than start");
  return emitter.arange(static_cast<int64_t>(start), static_cast<int64_t>(end),
                        arguments.callRange());
}

Value fullBuiltin(Emitter &emitter, const Arguments &arguments) {
  sema::Shape shape = arguments.shape("shape");
  sema::ScalarType type = arguments.dtype("dtype");
  SourceRange range = arguments.callRange();
  const auto *number = arguments["value"].as<ConstantValue>();
  Tensor value = arguments.tensor("value");
  if (value.type.elements() != 1)
    arguments.failType("value", "a scalar");
  if (value.isTile())
    value = emitter.reshape(value, {}, range);
  // A number goes straight to the type, so that 0.1 as float64 keeps all its digits.
  bool isDirect = number && !type.isPointer && (isFloat(type.dtype) || sema::asInteger(*number)) &&
                  type.dtype != DType::Int1;
  value = isDirect ? emitter.constant(*number, type, range) : emitter.cast(value, type, range);
  return emitter.splat(value, shape, range);
}

Value to_tensorBuiltin(Emitter &, const Arguments &arguments) { return arguments.tensor("x"); }

Value castBuiltin(Emitter &emitter, const Arguments &arguments) {
  std::string rounding = arguments.text("fp_downcast_rounding");
  if (!rounding.empty() && rounding != "rtne" && rounding != "rtz")
    arguments.failValue("fp_downcast_rounding", "'rtne' or 'rtz'");
  sema::ScalarType type = arguments.dtype("dtype");
  std::string_view self = arguments.function() == "to" ? "self" : "input";
  Tensor value = arguments.tensor(self);
  sema::ScalarType from = value.type.scalar;
  bool isNarrower = !from.isPointer && !type.isPointer && isFloat(from.dtype) &&
                    isFloat(type.dtype) && bitWidth(type.dtype) < bitWidth(from.dtype);
  if (!rounding.empty() && !isNarrower && from != type)
    arguments.failValue("fp_downcast_rounding", "None where no float becomes narrower");
  if (arguments.flag("bitcast"))
    return emitter.bitcast(value, type, arguments.callRange());
  if (rounding == "rtz" && isNarrower)
    return emitter.castTowardZero(value, type, arguments.callRange());
  return emitter.cast(value, type, arguments.callRange());
}

Value toBuiltin(Emitter &emitter, const Arguments &arguments) {
  return castBuiltin(emitter, arguments);
}

/// range(stop), range(start, stop) or range(start, stop, step).
static RangeValue rangeOf(const Arguments &arguments) {
  bool hasStart = !arguments.isNone("arg2");
  RangeValue range;
  range.lower = share(hasStart ? arguments["arg1"] : integerValue(0));
  range.upper = share(hasStart ? arguments["arg2"] : arguments["arg1"]);
  range.step = share(arguments.isNone("step") ? integerValue(1) : arguments["step"]);
  return range;
}

Value rangeBuiltin(Emitter &, const Arguments &arguments) {
  RangeValue range = rangeOf(arguments);
  for (const char *name : {"num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer",
                           "flatten", "warp_specialize", "disable_licm"})
    if (ConstantValue value = arguments.constant(name); sema::isTrue(value))
      range.options.emplace_back(name, value);
  return range;
}

Value static_rangeBuiltin(Emitter &, const Arguments &arguments) {
  RangeValue range = rangeOf(arguments);
  range.isStatic = true;
  return range;
}

Value next_power_of_2Builtin(Emitter &, const Arguments &arguments) {
  sema::Integer n = arguments.integer("n");
  if (n > (sema::Integer(1) << 62))
    arguments.failValue("n", "at most 2**62");
  return integerValue(n < 1 ? 0
                            : static_cast<sema::Integer>(std::bit_ceil(static_cast<uint64_t>(n))));
}

Value _unwrap_if_constexprBuiltin(Emitter &, const Arguments &arguments) { return arguments["o"]; }

Value _log2Builtin(Emitter &, const Arguments &arguments) {
  sema::Integer power = arguments.integer("i");
  if (power < 1 || power > INT64_MAX || !std::has_single_bit(static_cast<uint64_t>(power)))
    arguments.failValue("i", "a power of two");
  return integerValue(std::countr_zero(static_cast<uint64_t>(power)));
}

std::optional<sema::Integer> capabilityOf(const Emitter &emitter) {
  llvm::StringRef digits = emitter.target;
  unsigned capability = 0;
  if (!digits.consume_front("sm_") || digits.consumeInteger(10, capability))
    return std::nullopt;
  return capability;
}

Value num_warpsBuiltin(Emitter &emitter, const Arguments &) {
  return integerValue(emitter.target.empty() ? 1 : emitter.countedWarps());
}

Value num_threadsBuiltin(Emitter &emitter, const Arguments &) {
  constexpr unsigned threadsOfWarp = 32; // of every GPU of NVIDIA's
  return integerValue(emitter.target.empty() ? 1 : threadsOfWarp * emitter.countedWarps());
}

Value is_cudaBuiltin(Emitter &emitter, const Arguments &) {
  return boolValue(capabilityOf(emitter).has_value());
}

Value is_hipBuiltin(Emitter &, const Arguments &) { return boolValue(false); }

Value cuda_capability_geqBuiltin(Emitter &emitter, const Arguments &arguments) {
  sema::Integer least = 10 * arguments.integer("major") + arguments.integer("minor");
  auto capability = capabilityOf(emitter);
  return boolValue(capability && *capability >= least);
}

Value conditionBuiltin(Emitter &, const Arguments &arguments) { return arguments["arg1"]; }

static Value hint(Emitter &emitter, const Arguments &arguments, tile::HintKind kind) {
  Tensor value = arguments.tensor("input");
  std::vector<int64_t> amounts;
  for (sema::Integer amount : arguments.integers("values")) {
    if (amount < 1 || amount > INT64_MAX)
      arguments.failValue("values", "positive");
    amounts.push_back(static_cast<int64_t>(amount));
  }
  if (amounts.size() != std::max<size_t>(1, value.shape().size()))
    arguments.failValue("values", "one number for each dimension");
  Tensor promised{emitter.make<tile::HintOp>(arguments.callRange(), kind, value.value, amounts),
                  value.type};
  // The promise is about the value, whether or not the call's result is used. What a branch or a
  // loop promises of names that it does not assign ends with it.
  for (auto &[name, held] : emitter.frame->scope.values)
    if (const auto *tensor = held.as<Tensor>(); tensor && tensor->value == value.value)
      held = promised;
  return promised;
}

Value multiple_ofBuiltin(Emitter &emitter, const Arguments &arguments) {
  return hint(emitter, arguments, tile::HintKind::Divisibility);
}
Value max_contiguousBuiltin(Emitter &emitter, const Arguments &arguments) {
  return hint(emitter, arguments, tile::HintKind::Contiguity);
}
Value max_constancyBuiltin(Emitter &emitter, const Arguments &arguments) {
  return hint(emitter, arguments, tile::HintKind::Constancy);
}

Value assumeBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.range("cond");
  auto truth = emitter.condition(arguments["cond"], range);
  const bool *constant = std::get_if<bool>(&truth);
  if (constant && *constant)
    return {};
  // What is known to be false promises that no program comes here.
  mlir::Value condition =
      constant ? emitter.toTensor(boolValue(false), range).value : std::get<mlir::Value>(truth);
  tile::AssumeOp::create(emitter.builder, emitter.locate(arguments.callRange()), condition);
  return {};
}

Value debug_barrierBuiltin(Emitter &emitter, const Arguments &arguments) {
  tile::BarrierOp::create(emitter.builder, emitter.locate(arguments.callRange()));
  return {};
}

} // namespace nereid::emit
