// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of other functions of the module, and functions with approximate results.
#include "Generator.h"

#include <algorithm>

namespace nereid::generate {

Expression Generator::helperCall(const ValueType &type, int depth, Demand demand) {
  std::vector<ValueType> parameters;
  for (int64_t i = random.between(1, 2); i > 0; --i) {
    ValueType parameter{random.chance(60) ? type.dtype : random.pick(allTypes()), type.shape};
    if (random.chance(30))
      parameter.shape = smaller(type.shape);
    parameters.push_back(parameter);
  }
  std::string arguments;
  for (const ValueType &parameter : parameters)
    arguments += (arguments.empty() ? "" : ", ") + expression(parameter, depth).text;
  std::string name = makeHelper(type, parameters);
  return {name + "(" + arguments + ")", type};
}

/// A function of these parameters alone, written in a scope of its own.
std::string Generator::makeHelper(const ValueType &type, const std::vector<ValueType> &parameters) {
  std::vector<Variable> outerScope;
  std::vector<Statement> lines, *outerBlock = block;
  std::swap(scope, outerScope);
  block = &lines;
  ++helperDepth;
  std::string name = freshName("helper"), signature;
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::string parameter = "x" + std::to_string(i);
    signature += (i ? ", " : "") + parameter;
    scope.push_back({parameter, parameters[i], {}});
  }
  define("t", expression(type, 2));
  std::string result = expression(type, 2).text, body;
  for (const Statement &line : lines)
    body += "    " + line.text + "\n";
  if (random.chance(30))
    body += "    if " + expression({DType::Int1, {}}, 1).text + ":\n        return " +
            scope.back().name + "\n";
  kernel.helpers.emplace_back(name, "def " + name + "(" + signature + "):\n" + body +
                                        "    return " + result + "\n");
  --helperDepth;
  block = outerBlock;
  std::swap(scope, outerScope);
  return name;
}

/// The function of an argument that keeps its results' last bits few and its overflow away.
Expression Generator::approximate(const Expression &argument, int64_t &summands) {
  std::string name = random.pick(
      {"exp", "exp2", "sin", "cos", "erf", "sigmoid", "log", "log2", "rsqrt", "softmax"});
  bool isPositive = name == "log" || name == "log2" || name == "rsqrt";
  std::string given = isPositive ? "tl.abs(" + argument.text + ") + 0.25" : argument.text;
  if (name == "softmax" && argument.type.shape.empty())
    name = "exp";
  if (name == "softmax") // along the first dimension
    summands = argument.type.shape.front();
  return {"tl." + name + "(" + given + ")", argument.type};
}

/// Computes and stores an approximate result. It meets nothing that could magnify its error.
void Generator::approximateFunction() {
  ValueType type{random.chance(75) ? DType::Float32 : DType::Float64,
                 random.chance(70) ? baseShape : anyShape()};
  Expression argument = expression(type, 2, Demand::Grid);
  constexpr double largest = 16;
  if (argument.accuracy.bound > largest)
    argument = leaf(type, Demand::Grid);
  if (argument.accuracy.bound > largest)
    return;
  int64_t summands = 0;
  Expression value = approximate(argument, summands);
  if (random.chance(40)) {
    Expression factor = expression(type, 1, Demand::Grid);
    value.text = "(" + value.text + " * " + factor.text + ")";
  }
  if (random.chance(30)) {
    Expression truth = expression({DType::Int1, type.shape}, 2);
    value.text = "tl.where(" + truth.text + ", " + value.text + ", " +
                 approximate(argument, summands).text + ")";
  }
  if (type.shape.size() == 2 && random.chance(20)) {
    value.text = "tl.trans(" + value.text + ")";
    std::swap(type.shape[0], type.shape[1]);
  }
  std::string name = freshName("f");
  emit({name + " = " + value.text, {}, {}});
  OwnArray &array = addOwnArray(
      random.chance(70) ? type.dtype
                        : random.pick({DType::Float16, DType::BFloat16, DType::Float32}),
      elements(type.shape));
  for (ArrayParameter &parameter : kernel.arrays)
    if (parameter.name == array.name) {
      parameter.approximateIn = type.dtype;
      parameter.summands = summands;
    }
  OwnArray target = array;
  ownArrays.pop_back(); // nothing reads it, and nothing exact goes there
  std::string index = localIndex(type.shape), mask = ownMask(target, index, type.shape);
  emit({"tl.store(" + target.name + " + " + ownOffsets(target, index) + ", " + name +
            (mask.empty() ? "" : ", mask=" + mask) + ")",
        {},
        {}});
}

} // namespace nereid::generate
