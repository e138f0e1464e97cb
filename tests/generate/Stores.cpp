// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing to arrays.
#include "Generator.h"

namespace nereid::generate {

void Generator::store() {
  if (random.chance(15))
    return storeBlock();
  storeOf(expression(anyType(), 2));
}

void Generator::storeOf(const Expression &value) {
  Shape shape = value.type.shape;
  if (shape.empty() && random.chance(30)) // one value for many elements
    shape = smaller(baseShape);
  DType dtype = random.chance(65) ? value.type.dtype : random.pick(allTypes());
  OwnArray array = ownArray(dtype, elements(shape));
  std::string index = localIndex(shape), mask = randomMask(ownMask(array, index, shape), shape);
  emit({"tl.store(" + nameOf(array) + " + " + ownOffsets(array, index) + ", " + value.text +
            (mask.empty() ? "" : ", mask=" + mask) + ")",
        {},
        {}});
}

void Generator::storeBlock() {
  ValueType type = anyType();
  if (type.shape.empty())
    type.shape = {random.between(1, 9)};
  OwnArray array = ownArray(type.dtype, elements(type.shape));
  if (!array.isWhole)
    return;
  Expression value = expression(type, 2);
  Window view =
      window(nameOf(array) + " + pid * " + std::to_string(array.span), array.span, type.shape);
  if (!view.descriptor.empty() && random.chance(40))
    emit({view.descriptor + ").store(" + view.offsets + ", " + value.text + ")", {}, {}});
  else
    emit({"tl.store(" + view.text + ", " + value.text + view.boundaryCheck + ")", {}, {}});
}

/// How an atomic operation is ordered, and for whom.
std::string Generator::memoryOrder() {
  std::string order;
  if (random.chance(40))
    order =
        ", sem='" + std::string(random.pick({"relaxed", "acquire", "release", "acq_rel"})) + "'";
  if (random.chance(30))
    order += ", scope='" + std::string(random.pick({"gpu", "cta", "sys"})) + "'";
  return order;
}

/// Changes the program's own elements, so that even the old values are certain.
void Generator::atomic() {
  DType dtype = random.pick({DType::Int32, DType::Int64, DType::UInt32, DType::UInt64,
                             DType::Float32, DType::Float64, DType::Float16, DType::BFloat16});
  std::vector<std::string> actions = {"add"};
  if (bitWidth(dtype) >= 32)
    actions.emplace_back("xchg");
  if (isInteger(dtype)) // of floats, the largest depends on the signs that executors give to NaNs
    actions.insert(actions.end(), {"max", "min", "and", "or", "xor"});
  ValueType type{dtype, anyShape()};
  OwnArray array = ownArray(dtype, elements(type.shape));
  Expression value = expression(type, 2);
  std::string index = localIndex(type.shape);
  std::string mask = randomMask(ownMask(array, index, type.shape), type.shape);
  std::string call = "tl.atomic_" + random.pick(actions) + "(" + nameOf(array) + " + " +
                     ownOffsets(array, index) + ", " + value.text +
                     (mask.empty() ? "" : ", mask=" + mask) + memoryOrder() + ")";
  if (random.chance(50)) // what it finds where the mask leaves it out is nobody's promise
    define("v", {mask.empty() ? call : "tl.where(" + mask + ", " + call + ", 0)", type});
  else
    emit({call, {}, {}});
}

/// Replaces those of the program's own elements that are what is expected: half of them, if chance
/// will.
void Generator::compareAndSwap() {
  DType dtype = random.pick({DType::Int32, DType::Int64, DType::UInt32, DType::UInt64});
  ValueType type{dtype, anyShape()};
  OwnArray array = addOwnArray(dtype, elements(type.shape));
  std::string index = localIndex(type.shape);
  if (!ownMask(array, index, type.shape).empty())
    return; // it has no mask
  std::string pointer = nameOf(array) + " + " + ownOffsets(array, index);
  Expression wanted = expression(type, 1), value = expression(type, 2);
  Expression truth = expression({DType::Int1, type.shape}, 1);
  std::string expected =
      "tl.where(" + truth.text + ", tl.load(" + pointer + "), " + wanted.text + ")";
  define("v",
         {"tl.atomic_cas(" + pointer + ", " + expected + ", " + value.text + memoryOrder() + ")",
          type});
}

/// All programs combine integers with the same elements, in whichever order.
void Generator::countAtomically() {
  DType dtype = random.pick({DType::Int32, DType::Int64, DType::UInt32, DType::UInt64});
  ValueType type{dtype, anyShape()};
  int64_t size = random.between(1, 40);
  std::string name = addArray("c", dtype, size, Fill::Wild).name;
  Expression value = expression(type, 2);
  std::string index = localIndex(type.shape), mask = randomMask("", type.shape);
  std::string offsets = "((" + index + " * " + std::to_string(random.between(1, 7)) + " + pid) % " +
                        sizeText(size) + ")";
  std::string action = random.pick({"add", "add", "max", "min", "and", "or", "xor"});
  emit({"tl.atomic_" + action + "(" + name + " + " + offsets + ", " + value.text +
            (mask.empty() ? "" : ", mask=" + mask) + ")",
        {},
        {}});
}

} // namespace nereid::generate
