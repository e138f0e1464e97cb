// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuples of numbers and tiles.
#include "Generator.h"

namespace nereid::generate {

/// Elements of a tuple of literals are numbers of a type of their own, not literals that adapt.
void Generator::tupleOfLiterals() {
  std::string name = freshName("q"), elements;
  std::vector<DType> types;
  for (int64_t count = random.between(1, 3); count > 0; --count) {
    DType type = random.pick(
        {DType::Int32, DType::Int32, DType::Float32, DType::UInt32, DType::Int64, DType::UInt64});
    std::string value = type == DType::UInt32 ? "3000000000" // the first type that it fits
                        : type == DType::Int64
                            ? random.pick<std::string>({"-5000000000", "4294967297"})
                        : type == DType::UInt64 ? "18446744073709551615"
                                                : literal(type).text;
    elements += (elements.empty() ? "" : ", ") + value;
    types.push_back(type);
  }
  emit({name + " = (" + elements + ",)", {}, {}});
  size_t at = static_cast<size_t>(random.below(static_cast<int64_t>(types.size())));
  ValueType type = anyType();
  if (isFloat8(type.dtype) && !isFloat(types[at])) // which do not meet
    type.dtype = DType::Float16;
  Expression tile = expression(type, 1);
  std::string op = random.pick({"+", "-", "*"});
  auto size = static_cast<int64_t>(types.size()), place = static_cast<int64_t>(at);
  std::string element = name + "[" + std::to_string(random.chance(20) ? place - size : place) + "]";
  std::string text = random.chance(70) ? tile.text + " " + op + " " + element
                                       : element + " " + op + " " + tile.text;
  define("v", {text, {*promote(type.dtype, types[at], Promotion::Usual), type.shape}});
}

/// Two values go through a tuple: unpacked, changed in a loop, or taken apart by a helper.
void Generator::tupleOfTiles() {
  ValueType first = anyType(), second = anyType();
  std::string x = expression(first, 2).text, y = expression(second, 2).text;
  std::string pair = freshName("q"), a = freshName("v"), b = freshName("v");
  auto take = [&](const std::string &from, const ValueType &left, const ValueType &right) {
    if (random.chance(50)) {
      emit({a + ", " + b + " = " + from, {}, {}});
    } else {
      emit({a + " = " + from + "[0]", {}, {}});
      emit({b + " = " + from + "[-1]", {}, {}});
    }
    scope.push_back({a, left, {}});
    scope.push_back({b, right, {}});
  };
  emit({pair + " = (" + x + ", " + y + ")", {}, {}});
  switch (random.below(5)) {
  case 0:
    return take(pair, first, second);
  case 1:
    return take("(" + pair + "[1], " + pair + "[0])", second, first);
  case 2: { // a loop carries it
    std::string op = isBool(first.dtype) ? " ^ " : " * ", again = pair + "[0]" + op + pair + "[0]";
    Statement loop{"for " + freshName("i") + " in " + rangeText(3) + ":", {}, {}};
    loop.body.push_back({pair + " = (" + again + ", " + pair + "[1])", {}, {}});
    emit(std::move(loop));
    return take(pair, first, second);
  }
  case 3: { // a helper returns one
    std::string name = declare("turn_around", "def turn_around(a, b):\n    return b, a\n");
    emit({pair + " = " + name + "(" + pair + "[0], " + pair + "[1])", {}, {}});
    return take(pair, second, first);
  }
  default: // a helper takes one
    std::string name =
        declare("twice", "def twice(q):\n    a, b = q\n    return (a + a, b), q[1]\n");
    std::string result = freshName("q");
    emit({result + " = " + name + "(" + pair + ")", {}, {}});
    return take(result + "[0]", first, second);
  }
}

} // namespace nereid::generate
