// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every function of libdevice.def on both devices, in all of its types, against its reference.
#include "LibdeviceReferences.h"
#include "frontend/sema/DeviceFunctions.h"
#include "nereid/nereid.h"
#include "support/Check.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

using namespace nereid;
using test::Real, test::Reals, test::Reference, test::libdeviceReferences;

namespace {

constexpr int64_t count = 4096, block = 128;

// Numbers as bits

Real decode(DType type, uint64_t bits) {
  switch (type) {
  case DType::Int1:
    return bits & 1;
  case DType::Int32:
    return static_cast<int32_t>(bits);
  case DType::UInt32:
    return static_cast<uint32_t>(bits);
  case DType::Int64:
    return static_cast<int64_t>(bits);
  case DType::UInt64:
    return bits;
  case DType::Float32:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  default:
    return std::bit_cast<double>(bits);
  }
}

uint64_t encode(DType type, double number) {
  if (type == DType::Float32)
    return std::bit_cast<uint32_t>(static_cast<float>(number));
  return std::bit_cast<uint64_t>(number);
}

/// Bits at random, numbers of everyday size, small whole numbers and the limits of the type.
std::vector<uint64_t> operandsOf(DType type, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> all;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = random();
    double number = std::uniform_real_distribution<double>(-1, 1)(random);
    double scales[] = {1, 20, 200, 1e5};
    double limits[] = {0.0,    -0.0,   HUGE_VAL, -HUGE_VAL, std::nan(""), 0.5,    -0.5,
                       1,      -1,     2.5,      0x1p31,    -0x1p31,      0x1p63, -0x1p63,
                       0x1p32, 0x1p64, 1e-40,    -1e-310,   3e38,         1.7e308};
    if (isInteger(type))
      bits = i % 3 == 0 ? bits : i % 3 == 1 ? bits % 81 - 40 : bits >> (bits % 64);
    else if (i % 8 == 0)
      bits = encode(type, limits[bits % std::size(limits)]);
    else if (i % 8 == 1)
      bits = encode(type, static_cast<double>(static_cast<int>(bits % 81) - 40) / 4);
    else if (i % 8 < 6)
      bits = encode(type, number * scales[bits % std::size(scales)]);
    else
      bits = type == DType::Float32 ? bits >> 32 : bits;
    all.push_back(type == DType::Float64 || bitWidth(type) == 64 ? bits : bits & 0xffffffff);
  }
  return all;
}

int roundingOf(std::string_view name) {
  return name.ends_with("_rz")   ? FE_TOWARDZERO
         : name.ends_with("_rd") ? FE_DOWNWARD
         : name.ends_with("_ru") ? FE_UPWARD
                                 : FE_TONEAREST;
}

/// How many steps of the type lie between the two, of which neither is a NaN; steps as they are at
/// `scale`, if the expected number is smaller.
Real stepsBetween(DType type, Real actual, Real expected, Real scale) {
  if (isInteger(type))
    return std::fabs(actual - expected);
  bool isDouble = type == DType::Float64;
  int digits = isDouble ? 53 : 24, top = isDouble ? 1023 : 127;
  Real limit = std::ldexp(1.0L, top + 1); // what overflows is one step above the rest
  for (Real *number : {&actual, &expected})
    if (std::fabs(*number) > limit)
      *number = std::copysign(limit, *number);
  Real size = std::max(std::fabs(expected), scale);
  int exponent = size == 0 ? 1 - top : std::max(std::ilogb(size), 1 - top);
  return std::fabs(actual - expected) / std::ldexp(1.0L, std::min(exponent, top) - digits + 1);
}

// Running one

struct Case {
  std::string name, types;
  std::vector<DType> operands;
  DType result;
};

char letterOf(DType type) {
  const std::map<DType, char> letters = {
      {DType::Int1, 'b'},   {DType::Int32, 'i'},   {DType::UInt32, 'u'}, {DType::Int64, 'l'},
      {DType::UInt64, 'm'}, {DType::Float32, 'f'}, {DType::Float64, 'd'}};
  return letters.at(type);
}

std::vector<Case> allCases() {
  std::vector<Case> all;
  for (const std::string &name : sema::deviceFunctionNames())
    for (const sema::DeviceTypes &types : sema::findDeviceFunction(name)->overloads()) {
      std::string text;
      for (DType operand : types.operands)
        text += letterOf(operand);
      Case made{name, text + ":" + letterOf(types.result), types.operands, types.result};
      bool isNew = std::ranges::none_of(
          all, [&](const Case &other) { return other.name == name && other.types == made.types; });
      if (isNew)
        all.push_back(made);
    }
  return all;
}

std::string kernelOf(const Case &given) {
  const char *names[] = {"a", "b", "c", "d"};
  std::string parameters, arguments;
  for (size_t i = 0; i < given.operands.size(); ++i) {
    parameters += std::string(names[i]) + ", ";
    arguments += std::string(i ? ", " : "") + "tl.load(" + names[i] + " + i)";
  }
  return "import triton\nimport triton.language as tl\nfrom triton.language.extra import "
         "libdevice\n\n"
         "@triton.jit\ndef k(" +
         parameters +
         "out, N: tl.constexpr):\n"
         "    i = tl.program_id(0) * N + tl.arange(0, N)\n"
         "    tl.store(out + i, libdevice." +
         given.name + "(" + arguments + "))\n";
}

Array upload(const Device &device, DType type, const std::vector<uint64_t> &bits) {
  size_t size = byteSize(type);
  std::vector<uint8_t> bytes;
  for (uint64_t each : bits)
    for (size_t i = 0; i < size; ++i)
      bytes.push_back(static_cast<uint8_t>(each >> (8 * i)));
  Array array = device.zeros(type, {static_cast<int64_t>(bits.size())});
  array.copyFrom(bytes.data());
  return array;
}

std::vector<uint64_t> download(const Array &array, DType type) {
  size_t size = byteSize(type);
  std::vector<uint8_t> bytes(count * size);
  array.copyTo(bytes.data());
  std::vector<uint64_t> all(count);
  for (size_t i = 0; i < bytes.size(); ++i)
    all[i / size] |= static_cast<uint64_t>(bytes[i]) << (8 * (i % size));
  return all;
}

std::string shown(const Reals &numbers) {
  std::string text;
  for (Real number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

class LibdeviceTest : public testing::TestWithParam<const char *> {
protected:
  void expectPromise(const Case &given, const Reference &reference) {
    const char *names[] = {"a", "b", "c", "d"};
    std::vector<std::vector<uint64_t>> operands;
    Arguments arguments = {{"N", block}};
    for (size_t i = 0; i < given.operands.size(); ++i) {
      operands.push_back(operandsOf(given.operands[i], static_cast<unsigned>(i) + 1));
      for (uint64_t &bits : operands.back())
        if (i == 0 && reference.orders)
          bits = static_cast<uint32_t>(static_cast<int32_t>(bits) % reference.orders);
      arguments.push_back({names[i], upload(device, given.operands[i], operands[i])});
    }
    Array out = device.zeros(given.result, {count});
    arguments.push_back({"out", out});
    Module::fromText(kernelOf(given)).kernel("k").launch(device, {count / block}, arguments);
    std::vector<uint64_t> results = download(out, given.result);
    Real allowed = given.result == DType::Float64 ? reference.steps64 : reference.steps32;
    Real worst = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      Reals x;
      for (size_t o = 0; o < operands.size(); ++o)
        x.push_back(decode(given.operands[o], operands[o][i]));
      std::fesetround(roundingOf(given.name));
      Real expected = reference.function(x);
      std::fesetround(FE_TONEAREST);
      Real actual = decode(given.result, results[i]);
      ASSERT_EQ(std::isnan(actual), std::isnan(expected))
          << given.name << " " << given.types << " of " << shown(x) << " is " << actual << ", not "
          << expected;
      if (std::isnan(expected))
        continue;
      Real scale = reference.scale ? reference.scale(x) : 0;
      worst = std::max(worst, stepsBetween(given.result, actual, expected, scale));
      // What double and long double may be off themselves.
      ASSERT_LE(worst, allowed + (allowed == 0 ? 0 : 0x1p-8L))
          << given.name << " " << given.types << " of " << shown(x) << " is " << std::hexfloat
          << actual << ", not " << expected;
      if (allowed == 0 && expected == 0 && isFloat(given.result))
        ASSERT_EQ(std::signbit(actual), std::signbit(expected))
            << given.name << " " << given.types << " of " << shown(x);
    }
    RecordProperty(given.name, std::to_string(worst));
  }

  Device device = Device::open(GetParam());
};

TEST_P(LibdeviceTest, EveryFunctionIsWithinItsPromise) {
  for (const Case &given : allCases()) {
    auto found = libdeviceReferences().find(given.name + " " + given.types);
    if (found == libdeviceReferences().end())
      found = libdeviceReferences().find(given.name);
    if (found == libdeviceReferences().end()) {
      ADD_FAILURE() << "no reference for " << given.name << " " << given.types;
      continue;
    }
    SCOPED_TRACE(given.name);
    expectPromise(given, found->second);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, LibdeviceTest, testing::Values("cpu", "check"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
