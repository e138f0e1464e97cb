// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays, and reading them. Arrays that all programs read are never written; of one that is written
// each program touches only its own part, so that the order of the programs does not show.
#include "Generator.h"
#include "Inputs.h"

#include <algorithm>

namespace nereid::generate {

using std::to_string;

/// The name of a tile that counts the elements of a shape, each once; "0" for a scalar.
std::string Generator::localIndex(const Shape &shape) {
  if (shape.empty())
    return "0";
  for (const Variable &variable : scope)
    if (variable.name[0] == 'o' && variable.type.shape == shape)
      return variable.name;
  bool isColumnMajor = random.chance(25);
  std::string sum;
  int64_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t dim = isColumnMajor ? i : shape.size() - 1 - i;
    std::string lanes = "tl.arange(0, " + to_string(shape[dim]) + ")", index;
    for (size_t other = 0; other < shape.size() && shape.size() > 1; ++other)
      index += (other ? ", " : "[") + std::string(other == dim ? ":" : "None");
    sum = lanes + index + (index.empty() ? "" : "]") +
          (stride == 1 ? "" : " * " + to_string(stride)) + (sum.empty() ? "" : " + ") + sum;
    stride *= shape[dim];
  }
  std::string name = freshName("o");
  emit({name + " = " + sum, {}, {}});
  auto largest = static_cast<double>(stride);
  scope.push_back({name, {DType::Int32, shape}, Accuracy::grid(largest, 0), false});
  return name;
}

ArrayParameter &Generator::addArray(const char *prefix, DType dtype, int64_t size, Fill fill) {
  kernel.arrays.push_back({freshName(prefix), dtype, size, fill});
  return kernel.arrays.back();
}

/// A size, written out or as an argument.
std::string Generator::sizeText(int64_t size) {
  return random.chance(60) ? to_string(size)
                           : scalarParameter(random.chance(30) ? "tl.constexpr" : "", size);
}

const ArrayParameter &Generator::sharedArray(DType dtype, Demand demand) {
  std::vector<size_t> found;
  for (size_t i = 0; i < kernel.arrays.size(); ++i) {
    const ArrayParameter &array = kernel.arrays[i];
    bool fits = demand == Demand::Any || accuracyOf(array.fill, dtype).onGrid;
    if (array.name[0] == 'a' && array.dtype == dtype && fits)
      found.push_back(i);
  }
  if (!found.empty() && random.chance(70))
    return kernel.arrays[random.pick(found)];
  int64_t size = random.chance(60) ? programs * elements(baseShape) + random.between(-9, 9)
                                   : random.between(1, 700);
  bool isSmall = demand == Demand::Grid || random.chance(20);
  Fill fill = isSmall                               ? Fill::Small
              : isFloat(dtype) && random.chance(20) ? Fill::Special
                                                    : Fill::Wild;
  return addArray("a", dtype, std::max<int64_t>(size, 1), fill);
}

Generator::OwnArray &Generator::addOwnArray(DType dtype, int64_t wanted) {
  int64_t span = random.chance(65)   ? wanted
                 : random.chance(50) ? wanted + random.between(1, 9)
                                     : random.between(1, wanted);
  bool isWhole = random.chance(50);
  int64_t size = span * programs + (isWhole ? random.between(0, 6) : -random.below(span));
  std::string name = addArray("b", dtype, size, Fill::Wild).name, alias;
  if (random.chance(5)) {
    alias = freshName("b");
    kernel.arrays.push_back({alias, dtype, size, Fill::Wild, {}, name});
  }
  ownArrays.push_back({name, alias, dtype, size, span, sizeText(size), isWhole});
  return ownArrays.back();
}

Generator::OwnArray &Generator::ownArray(DType dtype, int64_t wanted) {
  std::vector<OwnArray *> found;
  for (OwnArray &array : ownArrays)
    if (array.dtype == dtype)
      found.push_back(&array);
  if (!found.empty() && random.chance(40))
    return *random.pick(found);
  return addOwnArray(dtype, wanted);
}

std::string Generator::nameOf(const OwnArray &array) {
  return !array.alias.empty() && random.chance(50) ? array.alias : array.name;
}

std::string Generator::ownOffsets(const OwnArray &array, const std::string &index) {
  return "(pid * " + to_string(array.span) + " + " + index + ")";
}

std::string Generator::ownMask(const OwnArray &array, const std::string &index,
                               const Shape &shape) {
  std::string mask;
  if (elements(shape) > array.span)
    mask = "(" + index + " < " + to_string(array.span) + ")";
  if (!array.isWhole)
    mask += (mask.empty() ? "" : " & ") + std::string("(") + ownOffsets(array, index) + " < " +
            array.sizeText + ")";
  return mask;
}

/// The mask that an access needs, perhaps with more masked off.
std::string Generator::randomMask(const std::string &needed, const Shape &shape) {
  if (loadDepth > 1 || !random.chance(20))
    return needed;
  ++loadDepth;
  std::string more = expression({DType::Int1, random.chance(70) ? shape : smaller(shape)}, 1).text;
  --loadDepth;
  return needed.empty() ? more : needed + " & " + more;
}

Expression Generator::load(const ValueType &type, Demand demand) {
  std::vector<const OwnArray *> own;
  for (const OwnArray &array : ownArrays)
    if (array.dtype == type.dtype && demand == Demand::Any)
      own.push_back(&array);
  if (!own.empty() && random.chance(40))
    return loadOwn(OwnArray(*random.pick(own)), type);
  if (!type.shape.empty() && random.chance(12))
    return random.chance(25) ? loadHostBlock(type, demand) : loadBlock(type, demand);
  return loadShared(type, demand);
}

/// How to read a shared array: where, and under which mask.
struct Access {
  std::string offsets, mask;
};

static Access sharedAccess(Random &random, const std::string &index, const std::string &size) {
  std::string factor = to_string(random.between(1, 9)), shift = to_string(random.between(0, 40));
  std::string first = random.chance(60) ? "pid * " + to_string(random.between(1, 300)) : shift;
  if (index == "0")
    return {"(" + first + " % " + size + ")", ""};
  if (random.chance(20))
    return {"((" + index + " * " + factor + " + " + first + ") % " + size + ")", ""};
  if (random.chance(8)) { // a type in which offsets wrap
    std::string narrow = random.pick({"uint8", "uint8", "uint16", "uint32"});
    std::string offsets = "(" + index + " * " + factor + " - " + shift + ").to(tl." + narrow + ")";
    return {offsets, "(" + offsets + ".to(tl.int64) < " + size + ")"};
  }
  if (random.chance(15)) {
    std::string offsets = "(" + size + " - 1 - (" + index + " + " + first + "))";
    return {offsets, "(" + offsets + " >= 0)"};
  }
  std::string offsets = "(" + index + " + " + first + ")";
  return {offsets, "(" + offsets + " < " + size + ")"};
}

/// A load that `mask` restricts. Of the lanes that it leaves out nothing is known, so `other` says
/// what they are, or nobody looks at them.
Expression Generator::maskedLoad(const std::string &pointer, const std::string &mask,
                                 const ValueType &type, Accuracy accuracy, Demand demand) {
  std::string hints = random.chance(5) ? ", eviction_policy='evict_last'" : "";
  std::string load = "tl.load(" + pointer;
  if (mask.empty())
    return {load + hints + ")", type, accuracy};
  load += ", mask=" + mask + hints;
  bool isNested = loadDepth >= 2 || random.chance(40);
  Expression other = literal(type.dtype, demand);
  if (!isNested && random.chance(50)) {
    ++loadDepth;
    other = expression({type.dtype, random.chance(60) ? Shape() : type.shape}, 1, demand);
    --loadDepth;
  }
  accuracy = join(accuracy, other.accuracy).in(type.dtype);
  if (random.chance(30))
    return {"tl.where(" + mask + ", " + load + "), " + other.text + ")", type, accuracy};
  return {load + ", other=" + other.text + ")", type, accuracy};
}

Expression Generator::loadShared(const ValueType &type, Demand demand) {
  ArrayParameter array = sharedArray(type.dtype, demand);
  std::string index = localIndex(type.shape);
  Access access = sharedAccess(random, index, sizeText(array.size));
  std::string mask = randomMask(access.mask, type.shape);
  Variable made = define("v", maskedLoad(array.name + " + " + access.offsets, mask, type,
                                         accuracyOf(array.fill, type.dtype), demand));
  return {made.name, type, made.accuracy};
}

/// Elements of which most are NaNs, infinities and zeros.
std::string Generator::loadSpecial(const ValueType &type) {
  int64_t size = elements(type.shape) + programs - 1;
  std::string array = addArray("a", type.dtype, size, Fill::Special).name;
  std::string load = "tl.load(" + array + " + (pid + " + localIndex(type.shape) + "))";
  return define("v", {load, type}).name;
}

Expression Generator::loadOwn(const OwnArray &array, const ValueType &type) {
  std::string index = localIndex(type.shape);
  std::string mask = randomMask(ownMask(array, index, type.shape), type.shape);
  Variable made = define("v", maskedLoad(nameOf(array) + " + " + ownOffsets(array, index), mask,
                                         type, {}, Demand::Any));
  return {made.name, type};
}

/// A block pointer into the first `size` elements from `base`, and the dimensions to check.
Generator::Window Generator::window(const std::string &base, int64_t size, const Shape &shape) {
  size_t rank = shape.size();
  Shape whole(rank), strides(rank);
  std::string offsets, checked, order;
  bool isColumnMajor = random.chance(30), isInside = true;
  int64_t stride = 1;
  for (size_t i = 0; i < rank; ++i) {
    size_t dim = isColumnMajor ? i : rank - 1 - i;
    whole[dim] = std::clamp<int64_t>(shape[dim] + random.between(-3, 5), 1, size / stride);
    strides[dim] = stride;
    stride *= whole[dim];
    order += (i ? ", " : "") + to_string(dim);
  }
  for (size_t i = 0; i < rank; ++i) {
    int64_t first = random.chance(50) ? 0 : random.between(-2, 4);
    bool fits = first >= 0 && first + shape[i] <= whole[i];
    isInside &= fits;
    offsets += (i ? ", " : "") + to_string(first);
    if (!fits || random.chance(50))
      checked += (checked.empty() ? "" : ", ") + to_string(i);
  }
  std::string comma = rank == 1 ? "," : "";
  std::string text = "tl.make_block_ptr(" + base + ", " + generate::text(whole) + ", " +
                     generate::text(strides) + ", (" + offsets + comma + "), " +
                     generate::text(shape) + ", (" + order + comma + "))";
  std::string descriptor = "tl.make_tensor_descriptor(" + base + ", " + generate::text(whole) +
                           ", " + generate::text(strides) + ", " + generate::text(shape);
  return {text, checked.empty() ? "" : ", boundary_check=(" + checked + ",)",
          strides.back() == 1 ? descriptor : "", "[" + offsets + "]", isInside};
}

Expression Generator::loadBlock(const ValueType &type, Demand demand) {
  ArrayParameter array = sharedArray(type.dtype, demand);
  Window view = window(array.name, array.size, type.shape);
  if (!view.descriptor.empty() && random.chance(40)) {
    bool isNan = isFloat(type.dtype) && demand == Demand::Any && random.chance(25);
    std::string load =
        view.descriptor + (isNan ? ", padding_option='nan'" : "") + ").load(" + view.offsets + ")";
    Accuracy accuracy = isNan ? Accuracy() : accuracyOf(array.fill, type.dtype);
    Variable made = define("v", {load, type, accuracy});
    return {made.name, type, made.accuracy};
  }
  bool isChecked = !view.boundaryCheck.empty();
  bool isNan = isChecked && isFloat(type.dtype) && demand == Demand::Any && random.chance(25);
  bool isPadded = isChecked && (!view.isInside || random.chance(50));
  std::string padding = isNan      ? ", padding_option='nan'"
                        : isPadded ? ", padding_option='zero'"
                                   : "";
  std::string pointer = view.text;
  if (random.chance(40)) {
    std::string name = freshName("p");
    emit({name + " = " + pointer, {}, {}});
    pointer = name;
  }
  Accuracy accuracy = isNan ? Accuracy() : accuracyOf(array.fill, type.dtype);
  Variable made =
      define("v", {"tl.load(" + pointer + view.boundaryCheck + padding + ")", type, accuracy});
  return {made.name, type, made.accuracy};
}

} // namespace nereid::generate
