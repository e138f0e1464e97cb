// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/Convert.h"
#include "runtime/cpu/ThreadPool.h"
#include "tune/Fields.h"
#include "tune/Recording.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nereid::tuning {
namespace {

[[noreturn]] void fail(const std::string &why) {
  throw Error(Error::Kind::Environment, "an array of the recording is damaged: " + why);
}

/// What was kept as it was.
std::vector<uint8_t> unpack(const std::string &text, uint64_t bytes) {
  std::vector<char> packed;
  if (llvm::Error error = llvm::decodeBase64(text, packed))
    fail(llvm::toString(std::move(error)));
  if (!llvm::compression::zlib::isAvailable())
    throw Error(Error::Kind::Environment, "this build of LLVM has no zlib, with which arrays of "
                                          "recordings are packed");
  std::vector<uint8_t> result(bytes);
  size_t size = bytes;
  llvm::ArrayRef<uint8_t> from(reinterpret_cast<const uint8_t *>(packed.data()), packed.size());
  if (llvm::Error error = llvm::compression::zlib::decompress(from, result.data(), size))
    fail(llvm::toString(std::move(error)));
  if (size != bytes)
    fail("it has " + std::to_string(size) + " bytes and not " + std::to_string(bytes));
  return result;
}

/// splitmix64: the same numbers everywhere, from any of them on.
class Numbers {
public:
  Numbers(uint64_t seed, uint64_t first) : state(seed + first * step) {}
  /// In [0, 1).
  double next() {
    uint64_t value = state += step;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return static_cast<double>((value ^ value >> 31) >> 11) * 0x1p-53;
  }

private:
  static constexpr uint64_t step = 0x9e3779b97f4a7c15;
  uint64_t state;
};

/// Numbers of the distribution whose quantiles these are, between which it is even.
std::vector<uint8_t> draw(const Json &content, uint64_t bytes) {
  std::optional<DType> dtype = parseDType(fieldOf<std::string>(content, "dtype"));
  auto quantiles = fieldOf<std::vector<double>>(content, "quantiles");
  if (!dtype || quantiles.empty() || bytes % byteSize(*dtype))
    fail("what is known of its numbers makes no sense");
  const double shares[] = {fieldOf<double>(content, "nan"), fieldOf<double>(content, "inf"),
                           fieldOf<double>(content, "-inf")};
  const auto seed = fieldOf<uint64_t>(content, "seed");
  auto drawn = [&](Numbers &numbers) {
    double chance = numbers.next(), place = numbers.next();
    if (chance < shares[0])
      return std::numeric_limits<double>::quiet_NaN();
    if ((chance -= shares[0]) < shares[1])
      return std::numeric_limits<double>::infinity();
    if (chance - shares[1] < shares[2])
      return -std::numeric_limits<double>::infinity();
    place *= static_cast<double>(quantiles.size() - 1);
    auto low = static_cast<size_t>(place);
    double part = place - static_cast<double>(low);
    double high = quantiles[std::min(low + 1, quantiles.size() - 1)];
    return quantiles[low] + part * (high - quantiles[low]);
  };
  std::vector<uint8_t> result(bytes);
  constexpr uint64_t atOnce = 4096, numbersOfOne = 2;
  const uint64_t count = bytes / byteSize(*dtype);
  // Arrays of a gigabyte are common, and a number takes some nanoseconds.
  runtime::cpu::ThreadPool().run(
      (count + atOnce - 1) / atOnce, 0, [&](uint64_t begin, uint64_t end, void *) {
        double values[atOnce];
        for (uint64_t at = begin * atOnce; at < std::min(end * atOnce, count); at += atOnce) {
          uint64_t some = std::min(atOnce, count - at);
          Numbers numbers(seed, at * numbersOfOne);
          std::generate_n(values, some, [&] { return drawn(numbers); });
          jit::storeElements(*dtype, result.data() + at * byteSize(*dtype), some, values);
        }
      });
  return result;
}

} // namespace

uint64_t sizeOf(const Json &content) { return fieldOf<uint64_t>(content, "bytes"); }

std::vector<uint8_t> bytesOf(const Json &content) {
  try {
    if (content.contains("quantiles"))
      return draw(content, sizeOf(content));
    return unpack(fieldOf<std::string>(content, "zlib"), sizeOf(content));
  } catch (const FieldMistake &mistake) {
    fail(describe(content, mistake));
  } catch (const std::length_error &) {
    fail("it claims to be larger than memory");
  } catch (const std::bad_alloc &) {
    throw Error(Error::Kind::Environment,
                "no memory for an array of " + std::to_string(sizeOf(content)) + " bytes");
  }
}

} // namespace nereid::tuning
