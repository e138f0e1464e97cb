// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Generator.h"

#include <algorithm>

namespace nereid::generate {

Generator::Generator(uint64_t seed) : random(seed), block(&kernel.body) {}

void Generator::chooseShapes() {
  auto size = [&] {
    return random.chance(50) ? random.pick({1, 3, 5, 7, 12, 17, 31, 33, 100, 257, 333})
                             : random.pick({2, 4, 8, 16, 32, 64, 128, 256, 512});
  };
  auto choose = [&](int64_t most) {
    Shape shape;
    for (int64_t rank = random.pick({1, 1, 1, 2, 2, 2, 3}); rank > 0; --rank) {
      int64_t next = size();
      shape.push_back(elements(shape) * next <= most ? next : random.between(1, 4));
    }
    return shape;
  };
  baseShape = choose(isCrowd ? 32 : random.chance(80) ? 1024 : mostElements / 2);
  otherShape = choose(isCrowd ? 32 : 256);
}

void Generator::chooseGrid() {
  kernel.grid[0] = isCrowd ? random.between(100, 300) : random.between(1, 4);
  std::string linear = "tl.program_id(0)";
  if (random.chance(40)) {
    kernel.grid[1] = random.between(1, 3);
    linear += " + tl.program_id(1) * tl.num_programs(0)";
  }
  if (random.chance(20)) {
    kernel.grid[2] = random.between(1, 2);
    linear += " + tl.program_id(2) * (tl.num_programs(0) * tl.num_programs(1))";
  }
  programs = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
  emit({"pid = " + linear, {}, {}});
  scope.push_back(
      {"pid", {DType::Int32, {}}, Accuracy::grid(static_cast<double>(programs), 0), false});
}

Kernel Generator::generate() {
  kernel.dataSeed = random.next();
  isCrowd = random.chance(8);
  chooseShapes();
  chooseGrid();
  for (int64_t i = random.between(0, 3); i > 0; --i) {
    DType type = random.pick(allTypes());
    bool isWide = isFloat(type);
    int64_t value = isBool(type) ? random.below(2) : random.between(isSigned(type) ? -100 : 0, 100);
    auto given = isBool(type) ? std::variant<bool, int64_t, double>(value != 0)
                 : isWide     ? static_cast<double>(value) / 4
                              : std::variant<bool, int64_t, double>(value);
    std::string name = scalarParameter(text(type), given);
    Accuracy accuracy =
        isBool(type) ? Accuracy() : Accuracy::grid(isWide ? 25 : 100, isWide ? 2 : 0);
    scope.push_back({name, {type, {}}, accuracy.in(type), false});
  }
  // Most are small, since it is the compiler's time that counts; mistakes show in few statements.
  if (isCrowd)
    handOver();
  budget = static_cast<int>(random.chance(94) ? random.between(1, 3) : random.between(4, 10));
  while (budget > 0)
    statement();
  writeResults();
  return std::move(kernel);
}

/// Stores what was computed, so that a mistake anywhere is seen.
void Generator::writeResults() {
  std::vector<Variable> made;
  for (const Variable &variable : scope)
    if (variable.isAssignable)
      made.push_back(variable);
  constexpr size_t most = 3;
  size_t first = made.size() > most ? made.size() - most : 0;
  for (size_t i = first; i < made.size(); ++i)
    storeOf({made[i].name, made[i].type, made[i].accuracy});
  if (made.empty())
    storeOf(expression(anyType(), 2));
}

Shape Generator::anyShape() {
  int64_t choice = random.below(10);
  if (choice < 5)
    return baseShape;
  if (choice < 7)
    return smaller(baseShape);
  if (choice < 8)
    return {};
  if (choice < 9)
    return otherShape;
  return {baseShape.rbegin(), baseShape.rend()};
}

ValueType Generator::anyType() {
  DType type = random.chance(40)
                   ? random.pick({DType::Float32, DType::Int32, DType::Float16, DType::Int1})
                   : random.pick(allTypes());
  return {type, anyShape()};
}

std::string Generator::freshName(const char *prefix) { return prefix + std::to_string(names++); }

void Generator::emit(Statement statement) { block->push_back(std::move(statement)); }

Variable &Generator::define(const char *prefix, const Expression &value, bool isAssignable) {
  std::string name = freshName(prefix);
  Expression simple = literalTile(value.type);
  emit({name + " = " + value.text, {}, {}, name + " = " + simple.text});
  // The types are known here by rules written apart from the compiler's; hold it to them.
  if (random.chance(20) && helperDepth == 0)
    emit({"tl.static_assert(" + name + ".dtype == " + text(value.type.dtype) + ")", {}, {}});
  Accuracy accuracy = join(value.accuracy, simple.accuracy);
  scope.push_back({name, value.type, accuracy.in(value.type.dtype), isAssignable});
  return scope.back();
}

std::string Generator::scalarParameter(const std::string &annotation,
                                       std::variant<bool, int64_t, double> value) {
  std::string name = freshName("s");
  kernel.scalars.push_back({name, annotation, value});
  return name;
}

const Variable *Generator::findVariable(const ValueType &type, Demand demand) {
  std::vector<const Variable *> found;
  for (const Variable &variable : scope)
    if (variable.type == type && (demand == Demand::Any || variable.accuracy.onGrid))
      found.push_back(&variable);
  return found.empty() ? nullptr : random.pick(found);
}

} // namespace nereid::generate
