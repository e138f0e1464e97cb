// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values in named tuples and aggregates.
#include "Generator.h"

namespace nereid::generate {

/// Two values go through a record: by the names of its fields, through a function, a branch or a
/// loop.
void Generator::record() {
  ValueType first = anyType(), second = anyType();
  std::string x = expression(first, 2).text, y = expression(second, 2).text;
  bool isAggregate = random.chance(50);
  std::string name = isAggregate ? "Both" : "Pair";
  declare(name,
          isAggregate
              ? "@triton.aggregate\nclass Both:\n    first: tl.tensor\n    second: tl.tensor\n\n"
                "    def __init__(self, first, second):\n"
                "        self.first = first\n        self.second = second\n\n"
                "    @triton.jit\n    def turned(self):\n"
                "        return Both(self.second, self.first)\n"
              : "class Pair(NamedTuple):\n    first: tl.tensor\n    second: tl.tensor\n");
  std::string pair = freshName("q"), a = freshName("v"), b = freshName("v");
  emit({pair + " = " + name + "(" + x + ", " + y + ")", {}, {}});
  switch (random.below(4)) {
  case 0:
    break;
  case 1: { // a loop carries it
    std::string op = isBool(first.dtype) ? " ^ " : " * ";
    Statement loop{"for " + freshName("i") + " in " + rangeText(3) + ":", {}, {}};
    loop.body.push_back(
        {pair + " = " + name + "(" + pair + ".first" + op + pair + ".first, " + pair + ".second)",
         {},
         {}});
    emit(std::move(loop));
    break;
  }
  case 2: { // a branch changes it
    Statement branch{"if " + condition().text + ":", {}, {}};
    branch.body.push_back(
        {pair + " = " + name + "(" + expression(first, 1).text + ", " + pair + ".second)", {}, {}});
    emit(std::move(branch));
    break;
  }
  default: { // a function or a method returns one
    std::string call = pair + ".turned()";
    if (!isAggregate) {
      std::string function = freshName("turned");
      declare(function,
              "def " + function + "(p):\n    return Pair(second=p.first, first=p.second)\n");
      call = function + "(" + pair + ")";
    }
    emit({pair + " = " + call, {}, {}});
    std::swap(first, second);
  }
  }
  emit({a + " = " + pair + ".first", {}, {}});
  emit({b + " = " + pair + ".second", {}, {}});
  scope.push_back({a, first, {}});
  scope.push_back({b, second, {}});
}

} // namespace nereid::generate
