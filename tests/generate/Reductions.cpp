// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and matrix products. Their order is the executors' matter, so floats that are added
// come from the grid.
#include "Generator.h"

#include <algorithm>

namespace nereid::generate {

ValueType Generator::sourceOf(const Shape &shape, DType dtype, size_t axis, int64_t length) const {
  Shape source = shape;
  source.insert(source.begin() + static_cast<int64_t>(axis), length);
  return {dtype, source};
}

std::string Generator::reduced(const std::string &function, const std::string &source, size_t axis,
                               const Shape &shape, const std::string &extra) {
  int64_t rank = static_cast<int64_t>(shape.size()) + 1, spelt = static_cast<int64_t>(axis);
  if (random.chance(20))
    spelt -= rank;
  std::string call = "tl." + function + "(" + source + ", " + std::to_string(spelt) + extra;
  if (rank > 1 && random.chance(20)) // the kept dimension goes again by a reshape
    return "tl.reshape(" + call + ", keep_dims=True), " + text(shape) + ")";
  return call + ")";
}

Expression Generator::reduction(const ValueType &type, int depth, Demand demand) {
  if (type.dtype == DType::Int32 && random.chance(40))
    return position(type, depth);
  switch (random.below(3)) {
  case 0:
    return sum(type, depth);
  case 1:
    return largest(type, depth);
  default:
    return customReduction(type, depth);
  }
}

/// A length for the axis that goes, so that the source is not too large.
static int64_t axisLength(Random &random, const Shape &shape, const Shape &base) {
  int64_t most = mostElements / elements(shape);
  int64_t length = base.empty() || random.chance(40) ? random.between(1, 40) : random.pick(base);
  return std::clamp<int64_t>(length, 1, most);
}

Expression Generator::sum(const ValueType &type, int depth) {
  std::vector<DType> sources;
  for (DType from : allTypes()) {
    bool isNarrow = !isFloat(from) && bitWidth(from) < 32;
    DType to = !isNarrow ? from : isSigned(from) ? DType::Int32 : DType::UInt32;
    if (to == type.dtype)
      sources.push_back(from);
  }
  if (sources.empty())
    return largest(type, depth);
  DType from = random.pick(sources);
  size_t axis = static_cast<size_t>(random.below(static_cast<int64_t>(type.shape.size()) + 1));
  int64_t length = axisLength(random, type.shape, baseShape);
  Expression source = expression(sourceOf(type.shape, from, axis, length), depth,
                                 isFloat(from) ? Demand::Grid : Demand::Any);
  Accuracy accuracy = times(source.accuracy, length).in(type.dtype);
  if (isFloat(from) && !accuracy.onGrid)
    return {reduced("max", source.text, axis, type.shape, "") + ".to(" + text(type.dtype) + ")",
            type, source.accuracy};
  return {reduced("sum", source.text, axis, type.shape, ""), type, accuracy};
}

Expression Generator::largest(const ValueType &type, int depth) {
  std::vector<DType> sources;
  for (DType from : allTypes()) {
    bool isNarrow = bitWidth(from) < 32;
    if ((!isNarrow ? from : isFloat(from) ? DType::Float32 : DType::Int32) == type.dtype)
      sources.push_back(from);
  }
  if (sources.empty())
    return leaf(type, Demand::Any);
  size_t axis = static_cast<size_t>(random.below(static_cast<int64_t>(type.shape.size()) + 1));
  ValueType from =
      sourceOf(type.shape, random.pick(sources), axis, axisLength(random, type.shape, baseShape));
  Expression source = expression(from, depth);
  std::string function = random.pick({"max", "min"});
  if (type.shape.empty() && random.chance(30)) {
    from.shape = baseShape;
    if (!baseShape.empty() && elements(baseShape) <= mostElements) {
      source = expression(from, depth);
      return {"tl." + function + "(" + source.text + ")", type, source.accuracy.in(type.dtype)};
    }
  }
  return {reduced(function, source.text, axis, type.shape, ""), type,
          source.accuracy.in(type.dtype)};
}

Expression Generator::position(const ValueType &type, int depth) {
  DType from = random.pick(allTypes());
  if (isBool(from))
    from = DType::UInt8;
  size_t axis = static_cast<size_t>(random.below(static_cast<int64_t>(type.shape.size()) + 1));
  int64_t length = axisLength(random, type.shape, baseShape);
  Expression source = expression(sourceOf(type.shape, from, axis, length), depth);
  std::string extra = random.chance(25) ? ", tie_break_left=False" : "";
  return {reduced(random.pick({"argmax", "argmin"}), source.text, axis, type.shape, extra), type,
          Accuracy::grid(static_cast<double>(length), 0)};
}

/// Adds a function of that name to the module, once.
std::string Generator::declare(const std::string &name, const std::string &text) {
  auto isSame = [&](const auto &helper) { return helper.first == name; };
  if (std::ranges::none_of(kernel.helpers, isSame))
    kernel.helpers.emplace_back(name, text);
  return name;
}

Expression Generator::customReduction(const ValueType &type, int depth) {
  struct Combine {
    const char *name, *text;
    bool forFloats, forIntegers;
  };
  static constexpr Combine combines[] = {
      {"combine_multiply", "def combine_multiply(a, b):\n    return a * b\n", false, true},
      {"combine_xor", "def combine_xor(a, b):\n    return a ^ b\n", false, true},
      {"combine_and", "def combine_and(a, b):\n    return a & b\n", false, true},
      {"combine_add", "def combine_add(a, b):\n    return a + b\n", false, true},
      {"combine_larger", "def combine_larger(a, b):\n    return tl.maximum(a, b)\n", true, true},
      {"combine_nearer",
       "def combine_nearer(a, b):\n"
       "    return tl.where((tl.abs(b) < tl.abs(a)) | ((tl.abs(b) == tl.abs(a)) & (b < a)), b, "
       "a)\n",
       false, true},
      {"combine_smaller",
       "def combine_smaller(a, b):\n    if a < b:\n        c = a\n    else:\n        c = b\n    "
       "return c\n",
       false, true},
  };
  std::vector<const Combine *> fitting;
  for (const Combine &combine : combines)
    if (isFloat(type.dtype) ? combine.forFloats : combine.forIntegers)
      fitting.push_back(&combine);
  if (type.dtype == DType::BFloat16) // tl.maximum would make it a float32
    return largest(type, depth);
  bool isWhole = isInteger(type.dtype) && !isBool(type.dtype);
  std::string library = isWhole && random.chance(25) ? random.pick({"xor_sum", "reduce_or"}) : "";
  const Combine &combine = *random.pick(fitting);
  size_t axis = static_cast<size_t>(random.below(static_cast<int64_t>(type.shape.size()) + 1));
  ValueType from =
      sourceOf(type.shape, type.dtype, axis, axisLength(random, type.shape, baseShape));
  std::string source = expression(from, depth).text;
  if (!library.empty())
    return {reduced(library, source, axis, type.shape, ""), type};
  declare(combine.name, combine.text);
  return {reduced("reduce", source, axis, type.shape, std::string(", ") + combine.name), type};
}

/// A reduction of two tiles together, into two names.
void Generator::pairReduction() {
  Shape shape = smaller(baseShape);
  int64_t length = axisLength(random, shape, baseShape);
  DType dtype = random.pick(
      {DType::Int32, DType::Int8, DType::UInt16, DType::Int64, DType::Float32, DType::Float16});
  if (shape.size() > 2)
    return;
  size_t axis = static_cast<size_t>(random.below(static_cast<int64_t>(shape.size()) + 1));
  ValueType from = sourceOf(shape, dtype, axis, length);
  std::string source = expression(from, 2).text, value = freshName("v"), second = freshName("v"),
              call;
  if (isFloat(dtype) || random.chance(50)) {
    call = "tl." + std::string(random.pick({"max", "min"})) + "(" + source + ", " +
           std::to_string(axis) + ", return_indices=True)";
    emit({value + ", " + second + " = " + call, {}, {}});
    scope.push_back({second, {DType::Int32, shape}, {}});
  } else {
    declare("combine_pair", "def combine_pair(a, b, c, d):\n    return a + c, tl.maximum(b, d)\n");
    ValueType other = from;
    other.dtype = random.pick({DType::Int32, DType::UInt8, DType::Float32, DType::Int16});
    call = "tl.reduce((" + source + ", " + expression(other, 2).text + "), " +
           std::to_string(axis) + ", combine_pair)";
    emit({value + ", " + second + " = " + call, {}, {}});
    scope.push_back({second, {other.dtype, shape}, {}});
  }
  scope.push_back({value, {dtype, shape}, {}});
}

/// How often each number occurs in a tile, perhaps among those of its lanes that a mask names.
Expression Generator::counts(const ValueType &type, int depth, Demand) {
  Shape shape{random.between(1, 300)};
  std::string bins = std::to_string(type.shape.front());
  std::string source =
      "(" + expression({DType::Int32, shape}, depth).text + " & 2147483647) % " + bins;
  std::string mask =
      random.chance(40) ? ", mask=" + expression({DType::Int1, shape}, depth).text : "";
  return {"tl.histogram(" + source + ", " + bins + mask + ")", type,
          Accuracy::grid(static_cast<double>(shape.front()), 0)};
}

/// d = tl.dot(...), perhaps in a loop over an accumulator.
void Generator::dot() {
  auto size = [&] { return random.pick({1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 17, 24, 32, 33, 48}); };
  int64_t m = size(), n = size(), k = size();
  DType dtype = random.pick({DType::Float32, DType::Float32, DType::Float16, DType::BFloat16,
                             DType::Float64, DType::Int8, DType::Float8E4M3FN, DType::Float8E5M2});
  bool isHalf = dtype == DType::Float16 && random.chance(60), isBatched = random.chance(10);
  DType result = isHalf                    ? DType::Float16
                 : dtype == DType::Int8    ? DType::Int32
                 : dtype == DType::Float64 ? DType::Float64
                                           : DType::Float32;
  Shape front = isBatched ? Shape{random.between(1, 3)} : Shape{};
  auto shape = [&](int64_t rows, int64_t columns) {
    Shape whole = front;
    whole.insert(whole.end(), {rows, columns});
    return whole;
  };
  Demand demand = isFloat(dtype) ? Demand::Grid : Demand::Any;
  ValueType type{result, shape(m, n)};
  bool inLoop = random.chance(40), hasAccumulator = inLoop || random.chance(40);
  int64_t trips = inLoop ? random.between(0, 3) : 1;
  Expression start = hasAccumulator && random.chance(50) ? leaf(type, demand) : literalTile(type);
  std::vector<Statement> *outer = block;
  std::vector<Statement> body;
  size_t outerScope = scope.size();
  block = inLoop ? &body : outer;
  Expression lhs = expression({dtype, shape(m, k)}, 1, demand),
             rhs = expression({dtype, shape(k, n)}, 1, demand);
  Accuracy product = times(productOf(lhs.accuracy, rhs.accuracy), k * std::max<int64_t>(trips, 1));
  Accuracy accuracy =
      sumOf(product, hasAccumulator ? start.accuracy : Accuracy::grid(1, 0)).in(result);
  scope.resize(outerScope);
  block = outer;
  if (isFloat(result) && !accuracy.onGrid)
    return; // too large to be exact; the loads before may stay
  std::string name = freshName("d"), extra = isHalf ? ", out_dtype=tl.float16" : "";
  if (dtype == DType::Float32) { // of which only GPUs make a difference
    std::string precision =
        random.chance(40) ? random.pick({"ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"}) : "";
    if (!precision.empty())
      extra += ", input_precision='" + precision + "'";
    // tf32 has as many digits as float16.
    DType digits = precision.starts_with("bf16") ? DType::BFloat16 : DType::Float16;
    bool isExact = lhs.accuracy.in(digits).onGrid && rhs.accuracy.in(digits).onGrid;
    kernel.roundsFactors |= precision != "ieee" && !isExact;
  }
  std::string call = "tl.dot(" + lhs.text + ", " + rhs.text;
  if (!inLoop)
    emit({name + " = " + call + (hasAccumulator ? ", " + start.text : "") + extra + ")", {}, {}});
  else {
    emit({name + " = " + start.text, {}, {}});
    bool isSum = random.chance(40);
    body.push_back(
        {name + (isSum ? " += " + call : " = " + call + ", " + name) + extra + ")", {}, {}});
    emit({"for " + freshName("i") + " in range(0, " + std::to_string(trips) + "):", body, {}});
  }
  accuracy.mayBeProduct = true;
  scope.push_back({name, type, accuracy});
}

} // namespace nereid::generate
