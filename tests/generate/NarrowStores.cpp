// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores of few elements that become narrower on the way, under masks that the compiler can see
// through: where a store for all lanes, or a wider one, would be cheaper and wrong.
#include "Generator.h"

#include <algorithm>
#include <functional>

namespace nereid::generate {

using std::to_string;

namespace {

struct Mask {
  std::string text;
  std::function<bool(int64_t)> isOn;
};

} // namespace

/// A mask of `lanes` lanes, numbered by `index`, of which few are on, or few off.
static Mask nearlyConstant(Random &random, const std::string &index, int64_t lanes,
                           const std::string &limit, int64_t limitValue) {
  int64_t a = random.chance(40) ? lanes - 1 : random.below(lanes), b = random.below(lanes);
  std::string first = to_string(a), second = to_string(b);
  switch (random.below(10)) {
  case 0:
  case 1:
    return {index + " == " + first, [=](int64_t i) { return i == a; }};
  case 2:
  case 3:
    return {index + " < " + limit, [=](int64_t i) { return i < limitValue; }};
  case 4:
    return {index + " >= " + first, [=](int64_t i) { return i >= a; }};
  case 5:
    return {index + " != " + first, [=](int64_t i) { return i != a; }};
  case 6:
    return {"(" + index + " == " + first + ") | (" + index + " == " + second + ")",
            [=](int64_t i) { return i == a || i == b; }};
  case 7:
    return {index + " % 4 == 1", [=](int64_t i) { return i % 4 == 1; }};
  case 8:
    return {"(" + index + " == " + first + ") & (pid == 0)", [=](int64_t i) { return i == a; }};
  default:
    return {index + " <= " + first, [=](int64_t i) { return i <= a; }};
  }
}

void Generator::narrowStore() {
  int64_t lanes = random.pick({2, 3, 4, 4, 5, 7, 8, 8, 8, 12, 16, 16, 32, 64});
  DType from = random.pick({DType::Int64, DType::Int64, DType::UInt64, DType::Int32, DType::UInt32,
                            DType::Int16, DType::Float64, DType::Float32});
  std::vector<DType> narrower;
  for (DType type : allTypes())
    if (bitWidth(type) < bitWidth(from) && isFloat(type) == isFloat(from))
      narrower.push_back(type);
  DType to = random.pick(narrower);
  ValueType type{from, {lanes}};
  std::string index = localIndex(type.shape);
  std::string value;
  if (random.chance(60)) {
    std::string array = addArray("a", from, lanes * programs, Fill::Wild).name;
    value = "tl.load(" + array + " + pid * " + to_string(lanes) + " + " + index + ")";
  } else {
    value = expression(type, 1).text;
  }
  int64_t limit = random.chance(60) ? 1 : random.between(0, lanes);
  bool isArgument = random.chance(60); // an argument that is 1 is known to the compiler
  Mask mask = nearlyConstant(random, index, lanes,
                             isArgument ? scalarParameter("", limit) : to_string(limit), limit);
  int64_t span = 1; // the array ends behind the last element that is written
  for (int64_t i = 0; i < lanes; ++i)
    if (mask.isOn(i))
      span = i + 1;
  std::string array = addArray("b", to, span * programs, Fill::Wild).name;
  std::string cast = random.chance(30) ? ".to(" + text(to) + ")" : "";
  emit({"tl.store(" + array + " + pid * " + to_string(span) + " + " + index + ", " + value + cast +
            ", mask=" + mask.text + ")",
        {},
        {}});
}

} // namespace nereid::generate
