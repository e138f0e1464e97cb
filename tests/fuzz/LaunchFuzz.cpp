// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays, descriptors and arguments of the C++ interface: too few, too many, of other types, null,
// with shapes and strides that overflow. What the caller vouches for is true: where memory is said
// to be, there is some, or nothing is run.
#include "Kinds.h"
#include "Mutations.h"
#include "nereid/compile.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace nereid::fuzz {
namespace {

constexpr const char *launchKernels =
    "import triton\nimport triton.language as tl\n"
    "@triton.jit\ndef first(x, y, n, s, B: tl.constexpr = 4):\n"
    "    v = tl.load(x) + n\n"
    "    tl.store(y, (v * s).to(y.dtype.element_ty))\n"
    "@triton.jit\ndef block(d, y, n):\n"
    "    t = d.load([n, 0])\n"
    "    tl.store(y, tl.sum(t.to(tl.float32)).to(y.dtype.element_ty))\n"
    "@triton.jit\ndef tuples(pair, y, n: tl.constexpr):\n"
    "    tl.store(y, (pair[0] + pair[1]).to(y.dtype.element_ty))\n"
    "@triton.jit\ndef beyond(x, y, n, B: tl.constexpr):\n"
    "    i = n + tl.arange(0, B)\n"
    "    tl.store(y + i, tl.load(x + i, mask=i < 4).to(y.dtype.element_ty), mask=i != 3)\n";
constexpr const char *kernelNames[] = {"first", "block", "tuples", "beyond"};
/// What reaches beyond arrays is for the checked device.
constexpr size_t beyond = 3, tuples = 2;

class LaunchKind final : public Kind {
public:
  LaunchKind() {
    Module module = Module::fromText(launchKernels);
    for (const char *name : kernelNames)
      kernels.push_back(module.kernel(name));
  }

  /// Where its numbers come from.
  std::string make(Random &random) override { return std::to_string(random.bits()); }

  Outcome attempt(const std::string &input) override {
    Random random(std::strtoull(input.c_str(), nullptr, 10), 0);
    isHonest = true;
    // What cannot be made has no place in a launch, and is made anew.
    size_t which = random.below(kernels.size());
    Device &device = which != beyond && random.oneIn(12) ? compiled : checked;
    Arguments arguments;
    for (const Parameter &parameter : kernels[which].parameters())
      if (!random.oneIn(60))
        add(random, device, which, parameter.name, arguments);
    if (random.oneIn(40))
      arguments.push_back({random.oneIn(2) ? "x" : "", random.pick(edges)});
    return unlessRefused([&] {
      Launch launch = kernels[which].prepare(device, arguments, tuningOf(random));
      Grid grid = gridOf(random);
      if (isHonest)
        launch.run(grid, optionsOf(random, device));
      for (const NamedArgument &argument : arguments)
        if (const Array *array = argument.value.array(); array && isHonest && array->size() < 1000)
          require(array->toDoubles().size() == static_cast<size_t>(array->size()),
                  "elements are lost");
    });
  }

private:
  void add(Random &random, const Device &device, size_t which, const std::string &name,
           Arguments &arguments) {
    if (which == tuples && name == "pair")
      for (size_t i = 0, end = random.oneIn(20) ? random.below(4) : 2; i < end; ++i)
        arguments.push_back({"pair." + std::to_string(i), value(random, device, "n")});
    else
      arguments.push_back({name, value(random, device, name)});
  }

  /// Mostly what goes by that name.
  Argument value(Random &random, const Device &device, const std::string &name) {
    if (random.oneIn(12))
      return anything(random, device);
    if (name == "x" || name == "y")
      return array(random, device);
    if (name == "d")
      return descriptor(random, device);
    if (name == "s")
      return random.oneIn(2) ? Argument(0.5) : Argument(random.pick(edges));
    if (name == "B")
      return random.oneIn(2) ? 16 : random.pick(edges);
    return random.oneIn(2) ? int64_t(1) : random.pick(edges);
  }

  Argument anything(Random &random, const Device &device) {
    switch (random.below(9)) {
    case 0:
      return nullptr;
    case 1:
      return random.oneIn(2);
    case 2:
      return static_cast<uint64_t>(random.pick(edges));
    case 3:
      return std::bit_cast<double>(random.bits());
    case 4:
      return random.oneIn(2) ? std::string(1, static_cast<char>(random.bits())) : "text";
    case 5:
      return type(random);
    case 6:
      return array(random, device);
    case 7:
      return descriptor(random, device);
    default:
      return random.pick(edges);
    }
  }

  static DType type(Random &random) { return static_cast<DType>(random.below(allDTypes().size())); }

  static std::vector<int64_t> extents(Random &random) {
    std::vector<int64_t> shape(random.oneIn(10) ? random.below(12) : 1 + random.below(3));
    for (int64_t &extent : shape)
      extent = random.oneIn(12) ? random.pick(edges) : static_cast<int64_t>(1 + random.below(12));
    return shape;
  }

  /// One that can be made: of its own memory, or over ours, in which it lies or not.
  Array array(Random &random, const Device &device) {
    for (;;) {
      std::vector<int64_t> shape = extents(random), strides;
      DType dtype = random.oneIn(2) ? DType::Float32 : type(random);
      Array made = device.zeros(DType::Int8, {1});
      bool isBorrowed = random.oneIn(2);
      Outcome outcome = unlessRefused([&] {
        if (!isBorrowed)
          made = random.oneIn(2) ? device.zeros(dtype, shape) : device.empty(dtype, shape);
        if (isBorrowed && random.oneIn(2))
          for (size_t i = 0; i < shape.size() + random.oneIn(30); ++i)
            strides.push_back(random.oneIn(8) ? random.pick(edges)
                                              : static_cast<int64_t>(random.below(20)));
        void *data = random.oneIn(30) ? nullptr : memory + (random.oneIn(30) ? 1 : 0);
        if (isBorrowed)
          made = device.borrow(data, dtype, shape, strides);
      });
      if (outcome == Outcome::Refused)
        continue;
      require(made.shape() == shape, "an array has another shape");
      isHonest &= made.size() > 0 && (!isBorrowed || liesInMemory(made));
      return made;
    }
  }

  static bool liesInMemory(const Array &array) {
    __int128 last = 0;
    for (size_t i = 0; i < array.shape().size(); ++i)
      last += __int128(array.shape()[i] - 1) * array.strides()[i];
    return (last + 1) * byteSize(array.dtype()) <= __int128(sizeof(memory) - 1);
  }

  TensorDescriptor descriptor(Random &random, const Device &device) {
    TensorDescriptor made{array(random, device), {}};
    for (size_t i = 0; i < made.array.shape().size() + random.oneIn(20); ++i)
      made.blockShape.push_back(random.oneIn(12) ? random.pick(edges)
                                                 : int64_t(1) << random.below(5));
    if (random.oneIn(20))
      made.blockShape.clear();
    made.padsWithNan = random.oneIn(3);
    return made;
  }

  /// Small, or none at all.
  static Grid gridOf(Random &random) {
    if (!random.oneIn(6))
      return {1 + static_cast<int64_t>(random.below(3)), 1, 1};
    int64_t wrong =
        random.oneIn(2) ? int64_t(-1) << random.below(63) : INT64_MAX - int64_t(random.below(9));
    return random.oneIn(3)   ? Grid{wrong, 1, 1}
           : random.oneIn(2) ? Grid{1, wrong, 1}
                             : Grid{0, 1, wrong};
  }

  static Tuning tuningOf(Random &random) {
    return random.oneIn(8) ? Tuning{static_cast<unsigned>(random.pick(edges)),
                                    static_cast<unsigned>(random.pick(edges)), 0}
                           : Tuning{};
  }

  static LaunchOptions optionsOf(Random &random, const Device &device) {
    LaunchOptions options;
    if (random.oneIn(20))
      options.tuning = {static_cast<unsigned>(random.pick(edges)), 0, 0};
    return options;
  }

  alignas(64) static inline char memory[1 << 12];
  bool isHonest = true;
  Device checked = Device::open("check", {.check = {.warn = [](const Finding &) {}}});
  Device compiled = Device::open("cpu", {.threads = 1});
  std::vector<Kernel> kernels;
};

} // namespace

std::unique_ptr<Kind> launchKind() { return std::make_unique<LaunchKind>(); }

} // namespace nereid::fuzz
