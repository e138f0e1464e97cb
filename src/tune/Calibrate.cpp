// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/calibrate.h"

#include "nereid/devices.h"
#include "nereid/profile.h"
#include "nereid/tune.h"
#include "target/CardFile.h"
#include "target/NvidiaTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <array>

namespace nereid {
namespace {

constexpr const char *kernelsText = R"(
import triton
import triton.language as tl

@triton.jit
def nothing(x):
    pass

@triton.jit
def copy(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))

@triton.jit
def spin(out, rounds, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = i.to(tl.float32)
    for _ in range(rounds):
        value = value * 0.999 + 0.25
    tl.store(out + i, value)

@triton.jit
def reread(x, out, blocks, rounds, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for r in range(rounds):
        at = (tl.program_id(0) * 7 + r * 61) % blocks
        total += tl.load(x + at * BLOCK + i)
    tl.store(out + tl.program_id(0) * BLOCK + i, total)

@triton.jit
def chain(links, step, mask, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(links + i, (i + step) & mask)

@triton.jit
def chase(links, out, steps):
    at = tl.load(links)
    for _ in range(steps):
        at = tl.load(links + at)
    tl.store(out, at)

@triton.jit
def product(a, b, c, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    rows, group = N // BM, pid // (8 * (N // BN))
    m = (group * 8 + pid % 8) * BM + tl.arange(0, BM)
    n = (pid % (8 * (N // BN)) // 8) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    at = a + m[:, None] * N + k[None, :]
    bt = b + k[:, None] * N + n[None, :]
    total = tl.zeros([BM, BN], dtype=tl.float32)
    for _ in range(0, N, BK):
        total = tl.dot(tl.load(at), tl.load(bt), total)
        at += BK
        bt += BK * N
    tl.store(c + m[:, None] * N + n[None, :], total.to(tl.float16))
)";

class Measurer {
public:
  Measurer(const Device &device, const GpuInfo &info)
      : device(device), info(info), module(Module::fromText(kernelsText, "calibration.py")) {}

  target::Card measure() {
    target::Card card = *target::blankCard(info.target);
    card.name = info.name;
    card.multiprocessors = info.multiprocessors;
    card.l2Bytes = info.l2;
    // Two transfers a clock, which is in kHz.
    card.memoryPeak = 2e3 * info.memoryClock * info.memoryBusBits / 8;
    card.clockHertz = clock();
    card.memoryReached = memory();
    card.l2Rate = l2();
    card.memoryLatency = latency();
    card.launchTime = launch();
    card.tensorShare = product() / (card.tensorFlops * card.multiprocessors * card.clockHertz);
    return card;
  }

private:
  /// Median seconds of a launch.
  double seconds(const std::string &kernel, Grid grid, const Arguments &arguments,
                 TimerOptions options = {}, const Tuning &tuning = {}) const {
    Launch prepared = module.kernel(kernel).prepare(device, arguments, tuning);
    return Timer(device, std::move(options)).measure(prepared, grid).median() * 1e-3;
  }

  double clock() const {
    constexpr int64_t block = 4096;
    const int64_t programs = 4 * int64_t(info.multiprocessors);
    Profile profile = nereid::profile(device, module.kernel("spin"), {programs},
                                      {{"out", device.empty(DType::Float32, {programs * block})},
                                       {"rounds", 100'000},
                                       {"BLOCK", block}},
                                      {.detail = "waits", .turns = 2});
    return profile.clockHertz;
  }

  double memory() const {
    constexpr int64_t block = 4096, most = int64_t(1) << 27, least = int64_t(1) << 22;
    // Two arrays of up to half a gigabyte; an eighth of what is free.
    const int64_t fits = int64_t(info.memory / 16 / sizeof(float));
    int64_t n = std::clamp(fits, least, most) / block * block;
    double time = seconds("copy", {n / block},
                          {{"x", device.zeros(DType::Float32, {n})},
                           {"y", device.empty(DType::Float32, {n})},
                           {"BLOCK", block}});
    return 2 * double(n) * sizeof(float) / time;
  }

  /// Of half of the cache, which then holds what it is asked for; L1 holds a hundredth of it.
  double l2() const {
    constexpr int64_t block = 4096, rounds = 128;
    const int64_t programs = 8 * int64_t(info.multiprocessors);
    const int64_t blocks = std::max<int64_t>(1, int64_t(info.l2) / 2 / (block * sizeof(float)));
    double time = seconds("reread", {programs},
                          {{"x", device.zeros(DType::Float32, {blocks * block})},
                           {"out", device.empty(DType::Float32, {programs * block})},
                           {"blocks", blocks},
                           {"rounds", rounds},
                           {"BLOCK", block}},
                          {.flushesCache = false});
    return double(programs) * rounds * block * sizeof(float) / time;
  }

  /// Each step leads some megabytes on. What the launch takes besides is taken away.
  double latency() const {
    constexpr int64_t n = int64_t(1) << 26, block = 4096, step = 1'234'577, few = 1000, many = 5000;
    Array links = device.empty(DType::Int32, {n}), out = device.zeros(DType::Int32, {1});
    module.kernel("chain").launch(
        device, {n / block}, {{"links", links}, {"step", step}, {"mask", n - 1}, {"BLOCK", block}});
    auto timed = [&](int64_t steps) {
      return seconds("chase", {1}, {{"links", links}, {"out", out}, {"steps", steps}}, {},
                     {.warps = 1});
    };
    return (timed(many) - timed(few)) / double(many - few);
  }

  double launch() const {
    return seconds("nothing", {1}, {{"x", device.zeros(DType::Float32, {1})}}, {.usesGraph = true});
  }

  /// FLOP a second; the best of some tiles, of which the largest are for warpgroups.
  double product() const {
    constexpr int64_t n = 4096;
    Array a = device.zeros(DType::Float16, {n, n}), b = device.zeros(DType::Float16, {n, n}),
          c = device.zeros(DType::Float16, {n, n});
    fill(a);
    fill(b);
    double best = 0;
    constexpr std::array<int64_t, 3> tiles[] = {{128, 256, 64}, {128, 128, 64}, {128, 128, 32}};
    for (auto [rows, columns, depth] : tiles) {
      try {
        double time = seconds(
            "product", {n / rows * (n / columns)},
            {{"a", a}, {"b", b}, {"c", c}, {"N", n}, {"BM", rows}, {"BN", columns}, {"BK", depth}},
            {}, {.warps = 8, .pipelineStages = 3});
        best = std::max(best, 2 * double(n) * n * n / time);
      } catch (const Error &error) {
        if (error.kind() == Error::Kind::Internal)
          throw; // otherwise a tile that this GPU has no room for
      }
    }
    return best;
  }

  /// Numbers that differ, so that the tensor cores take the power that they take of others.
  static void fill(const Array &array) {
    std::vector<uint16_t> bits(static_cast<size_t>(array.size()));
    uint32_t state = 1;
    for (uint16_t &each : bits) {
      state = state * 1664525 + 1013904223;
      // Signs and digits at random, exponents of numbers below 1.
      each = static_cast<uint16_t>((state >> 16 & 0x83FF) | (8 + (state >> 11 & 7)) << 10);
    }
    array.copyFrom(bits.data());
  }

  const Device &device;
  const GpuInfo &info;
  Module module;
};

/// The table's card that is called as the GPU is; else the SM's first.
std::optional<target::Card> cardLike(const GpuInfo &info) {
  std::optional<target::Card> card = target::findCard(target::cardNameIn(info.name));
  return card ? card : target::cardOf(info.target);
}

GpuInfo requireGpu(const Device &device) {
  llvm::StringRef name = device.name();
  unsigned number = 0;
  if (!name.consume_front("cuda:") || name.getAsInteger(10, number))
    throw Error(Error::Kind::Usage,
                "cannot calibrate device '" + device.name() + "': GPUs are calibrated");
  GpuInfo info = gpuInfo(number);
  if (!target::blankCard(info.target))
    throw Error(Error::Kind::Usage, "cannot calibrate device '" + device.name() + "', " +
                                        info.name +
                                        ": nothing is known of what its SMs do in a cycle");
  return info;
}

} // namespace

Calibration calibrate(const Device &device) {
  const GpuInfo info = requireGpu(device);
  const target::Card measured = Measurer(device, info).measure();
  std::optional<target::Card> known = cardLike(info);
  Calibration result{info.name, info.target, known ? known->name : "", {}};
  for (const target::CardColumn &column : target::cardColumns())
    result.figures.push_back({column.key, column.unit, column.get(measured) / column.scale,
                              known ? column.get(*known) / column.scale : 0, column.meaning});
  return result;
}

std::string toText(const Calibration &calibration) {
  std::string text = calibration.device + ", " + calibration.target + "\n\n";
  auto row = [&](const std::string &name, const std::string &measured, const std::string &table,
                 const std::string &unit, const std::string &meaning) {
    text +=
        llvm::formatv("  {0,-16} {1,10} {2,14}  {3,-5} {4}\n", name, measured, table, unit, meaning)
            .str();
  };
  row("figure", "measured", calibration.card.empty() ? "" : calibration.card + "'s row", "", "");
  for (const Calibration::Figure &figure : calibration.figures)
    row(figure.name, llvm::formatv("{0:f1}", figure.measured).str(),
        figure.table ? llvm::formatv("{0:f1}", figure.table).str() : "", figure.unit,
        figure.meaning);
  return text;
}

std::string toCard(const Calibration &calibration) {
  std::optional<target::Card> card = target::blankCard(calibration.target);
  if (!card)
    throw Error(Error::Kind::Usage, "there is no SM '" + calibration.target + "'");
  card->name = printable(calibration.device);
  for (const Calibration::Figure &figure : calibration.figures)
    for (const target::CardColumn &column : target::cardColumns())
      if (figure.name == column.key)
        column.set(*card, figure.measured * column.scale);
  return target::toText(*card);
}

} // namespace nereid
