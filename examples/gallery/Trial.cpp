// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Trial.h"

#include "nereid/tune.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>
#include <utility>

namespace nereid::gallery {
namespace {

constexpr size_t guardBytes = 256; // keeps the alignment of the memory between
constexpr uint8_t guardPattern = 0xA5;
// All ones is a NaN of every floating-point type; integers have none, so they get two patterns in
// turn.
constexpr uint8_t floatPoison = 0xFF, integerPoison = 0xCD, otherIntegerPoison = 0x32;

int64_t product(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string describeElement(size_t index, double value, double expected) {
  std::ostringstream text;
  text.precision(9);
  text << "element " << index << " is " << value << ", should be " << expected;
  if (std::isnan(value))
    text << " (was it written?)";
  return text.str();
}

} // namespace

Trial::Trial(Device device, std::string kernelFile, std::string kernelName)
    : device_(std::move(device)), kernelFile(std::move(kernelFile)),
      kernelName(std::move(kernelName)) {}

Input Trial::given(DType type, std::vector<int64_t> shape, const Values &values) {
  auto [whole, inner] = allocate(type, shape);
  fill(whole, floatPoison, 0);
  kept.push_back(whole);
  if (type == DType::Float32) {
    inner.copyFrom(values.data());
    return {inner, values};
  }
  Array converted = device_.arrayFromDoubles(type, Doubles(values.begin(), values.end()));
  std::vector<std::byte> elements(converted.bytes());
  converted.copyTo(elements.data());
  inner.copyFrom(elements.data());
  Doubles rounded = inner.toDoubles();
  return {inner, Values(rounded.begin(), rounded.end())};
}

Input Trial::normal(std::vector<int64_t> shape, DType type) {
  Values values(size_t(product(shape)));
  std::generate(values.begin(), values.end(), [&] { return normalNumber(); });
  return given(type, std::move(shape), values);
}

/// Marsaglia's polar method. (The library's distribution takes a logarithm of the generator's range
/// for each number, which was a fifth of what the gallery takes.)
float Trial::normalNumber() {
  if (spareNormal)
    return *std::exchange(spareNormal, std::nullopt);
  for (;;) {
    uint64_t bits = random();
    double x = double(int32_t(bits)) * 0x1p-31, y = double(int32_t(bits >> 32)) * 0x1p-31;
    double square = x * x + y * y;
    if (square >= 1 || square == 0)
      continue;
    double scale = std::sqrt(-2 * std::log(square) / square);
    spareNormal = float(y * scale);
    return float(x * scale);
  }
}

Input Trial::uniform(std::vector<int64_t> shape) {
  Values values(size_t(product(shape)));
  std::generate(values.begin(), values.end(), [&] { return float(random() >> 40) * 0x1p-24f; });
  return given(DType::Float32, std::move(shape), values);
}

Array Trial::output(DType type, std::vector<int64_t> shape) {
  return addOutput(type, std::move(shape), true);
}

Array Trial::zeroedOutput(DType type, std::vector<int64_t> shape) {
  return addOutput(type, std::move(shape), false);
}

std::pair<Array, Array> Trial::allocate(DType type, std::vector<int64_t> shape) const {
  int64_t bytes = product(shape) * byteSize(type);
  Array whole = device_.empty(DType::UInt8, {bytes + 2 * int64_t(guardBytes)});
  void *start = static_cast<std::byte *>(whole.data()) + guardBytes;
  return {whole, device_.borrow(start, type, std::move(shape))};
}

Array Trial::addOutput(DType type, std::vector<int64_t> shape, bool isPoisoned) {
  auto [whole, inner] = allocate(type, std::move(shape));
  fill(whole, guardPattern, !isPoisoned ? 0 : isFloat(type) ? floatPoison : integerPoison);
  outputs.push_back({whole, inner, isPoisoned});
  return inner;
}

void Trial::fill(const Array &whole, uint8_t guard, uint8_t content) const {
  std::vector<uint8_t> bytes(whole.bytes(), content);
  std::fill_n(bytes.begin(), guardBytes, guard);
  std::fill_n(bytes.rbegin(), guardBytes, guard);
  whole.copyFrom(bytes.data());
}

void Trial::requireGuards(const Output &output) {
  std::vector<uint8_t> bytes = output.whole.toVector<uint8_t>();
  auto isIntact = [](uint8_t byte) { return byte == guardPattern; };
  if (!std::all_of(bytes.begin(), bytes.begin() + guardBytes, isIntact))
    note("the kernel wrote in front of an output");
  if (!std::all_of(bytes.rbegin(), bytes.rbegin() + guardBytes, isIntact))
    note("the kernel wrote behind an output");
}

void Trial::launch(Grid grid, const Arguments &arguments, Tuning tuning) {
  Kernel kernel = Module::load(kernelFile).kernel(kernelName);
  if (compilation) {
    CompileOptions options = *compilation;
    options.tuning.block = tuning.block;
    compileFor(kernel, arguments, options);
    return;
  }
  launches.emplace_back(kernel.prepare(device_, arguments, tuning), grid);
  result_.milliseconds = runOnce();
}

void Trial::launchFastest(const GridFunction &grid, const Arguments &arguments,
                          const std::vector<Configuration> &configurations,
                          const std::vector<std::string> &key) {
  const Configuration *chosen = configurations.data();
  std::vector<nereid::Trial> trials;
  if (!compilation && !isChecked()) {
    TuningOptions options{
        .timer = {.warmupMilliseconds = 0, .repeatMilliseconds = 5, .fewestCalls = 1}, .key = key};
    options.trials.keepsRecords = false;
    Kernel kernel = Module::load(kernelFile).kernel(kernelName);
    auto tuned = [&] {
      trials = tune(device_, kernel, grid, arguments, configurations, options).trials();
    };
    tuned();
    for (const nereid::Trial &trial : trials) {
      if (!trial.record.failure.empty())
        note(trial.configuration.text() + " does not run: " + trial.record.failure);
      options.trials.known.add(trial.record);
    }
    tuned();
    if (!std::all_of(trials.begin(), trials.end(),
                     [](const nereid::Trial &trial) { return trial.isFromRecord; }))
      note("the tuner tried again what it knew");
    chosen = &trials.front().configuration;
  }
  Arguments all = chosen->appliedTo(arguments);
  std::vector<std::pair<std::string, int64_t>> constants;
  for (const NamedArgument &given : chosen->values)
    constants.emplace_back(given.name, std::get<int64_t>(given.value.get()));
  launch(grid(Constants(constants)), all, chosen->tuning);
}

void Trial::expect(const Array &output, const Doubles &reference, const Doubles &bounds) {
  if (compilation)
    return;
  Doubles allowed = bounds;
  for (size_t i = 0; i < allowed.size() && output.dtype() == DType::Float16; ++i)
    allowed[i] += std::max(0x1p-11 * std::abs(reference[i]), 0x1p-25); // half a step
  for (double most : allowed)
    result_.largestAllowed = std::max(result_.largestAllowed, most);
  compare(output, reference, allowed);
  for (const Output &known : outputs) {
    if (known.inner.data() != output.data())
      continue;
    requireGuards(known);
    if (!known.isPoisoned || isFloat(output.dtype()))
      continue;
    fill(known.whole, guardPattern, otherIntegerPoison);
    runOnce();
    compare(output, reference, allowed);
  }
}

void Trial::compare(const Array &output, const Doubles &reference, const Doubles &allowed) {
  Doubles values = output.toDoubles();
  if (values.size() != reference.size() || (!allowed.empty() && allowed.size() != values.size()))
    return note("the reference has " + std::to_string(reference.size()) + " elements, the output " +
                std::to_string(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    double error = std::abs(values[i] - reference[i]), size = std::abs(reference[i]);
    bool isRight = error <= (allowed.empty() ? 0 : allowed[i]); // no NaN is
    if (!isRight && result_.problem.empty())
      note(describeElement(i, values[i], reference[i]));
    result_.largestError = std::isnan(error) ? error : std::max(error, result_.largestError);
    if (size > 0)
      result_.largestRelativeError = std::max(error / size, result_.largestRelativeError);
    if (std::isnan(error))
      return;
  }
}

void Trial::expectError(Error::Kind kind, const std::vector<std::string> &words,
                        const std::function<void()> &act) {
  try {
    act();
  } catch (const Error &error) {
    std::string message = error.what();
    if (error.kind() != kind)
      note("an error of another kind than expected: " + message);
    for (const std::string &word : words)
      if (message.find(word) == std::string::npos)
        note("the error does not say '" + word + "': " + message);
    result_.remark = "error, as it should";
    return;
  }
  note("no error was reported");
}

double Trial::runOnce() const {
  auto start = std::chrono::steady_clock::now();
  for (const auto &[launch, grid] : launches)
    launch.run(grid);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

void Trial::measure() {
  if (launches.empty() || isChecked())
    return;
  constexpr size_t fewest = 3, most = 50;
  constexpr double enoughMilliseconds = 100;
  std::vector<double> times;
  double total = 0;
  while (times.size() < fewest || (times.size() < most && total < enoughMilliseconds))
    total += times.emplace_back(runOnce());
  std::nth_element(times.begin(), times.begin() + long(times.size() / 2), times.end());
  result_.milliseconds = times[times.size() / 2];
}

void Trial::note(const std::string &problem) {
  if (result_.problem.empty())
    result_.problem = problem;
}

} // namespace nereid::gallery
