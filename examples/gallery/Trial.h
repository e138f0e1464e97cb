// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "References.h"

#include "nereid/compile.h"
#include "nereid/nereid.h"

#include <optional>
#include <random>
#include <string>

namespace nereid {
struct Configuration;
}

namespace nereid::gallery {

/// What one row of the table says.
struct Result {
  std::string size;
  std::string problem; ///< empty if all is right
  std::string remark;  ///< stands in the error's place where no numbers were compared
  double largestError = 0, largestRelativeError = 0;
  double largestAllowed = 0; ///< error of any element; 0 where all must be exact
  double milliseconds = 0;
  double bytes = 0, operations = 0;
};

struct Input {
  Array array;
  Values values;
};

/// One kernel on one executor: makes its arrays, launches it, compares the results with a
/// reference. The outputs are poisoned before the launch and lie between guards that no kernel may
/// touch.
class Trial {
public:
  Trial(Device device, std::string kernelFile, std::string kernelName);

  const Device &device() const { return device_; }
  bool isChecked() const { return device_.name() == "check"; }
  /// What a product of two float32 in a tl.dot may lose, in roundings of 2^-24: nothing, or on
  /// GPUs, where its default precision is TF32, all but ten bits of both mantissas.
  double productRoundings() const { return device_.name().starts_with("cuda") ? 0x1p15 : 0; }

  /// Seeded samples of the standard normal distribution, rounded to the type.
  Input normal(std::vector<int64_t> shape, DType type = DType::Float32);
  /// Seeded samples from 0 to 1.
  Input uniform(std::vector<int64_t> shape);
  Input given(DType type, std::vector<int64_t> shape, const Values &values);
  Array output(DType type, std::vector<int64_t> shape);
  /// An output that the kernel adds to, or need not write whole.
  Array zeroedOutput(DType type, std::vector<int64_t> shape);
  /// Keeps the memory of an array that another one borrows.
  void keepAlive(Array array) { kept.push_back(std::move(array)); }

  /// Compiles the kernel and runs it once.
  void launch(Grid grid, const Arguments &arguments, Tuning tuning = {});
  /// Has the tuner pick the fastest of the configurations, each of which must run, asks again,
  /// which must need no trial, and launches. Where nothing is timed, on the checked executor for
  /// one, it is the first.
  void launchFastest(const GridFunction &grid, const Arguments &arguments,
                     const std::vector<Configuration> &configurations,
                     const std::vector<std::string> &key);
  /// An element is right if its error is at most what is allowed for it (Bounds.h), besides one
  /// rounding to the output's type where that is narrower than float32. Without bounds, all must
  /// be exact.
  void expect(const Array &output, const Doubles &reference, const Doubles &allowed = {});
  /// Notes a problem unless `act` throws an Error of this kind whose message has all of `words`.
  void expectError(Error::Kind kind, const std::vector<std::string> &words,
                   const std::function<void()> &act);

  /// From now on, what would be launched is compiled as the options say, and nothing is run or
  /// compared.
  void compileInstead(CompileOptions options) { compilation = std::move(options); }

  void setSize(std::string size) { result_.size = std::move(size); }
  /// How much one launch moves or computes, for the rate.
  void setBytes(int64_t bytes) { result_.bytes = double(bytes); }
  void setOperations(int64_t operations) { result_.operations = double(operations); }

  /// The median over repeated launches; the first launch alone on the checked executor.
  void measure();
  void note(const std::string &problem);
  const Result &result() const { return result_; }

private:
  struct Output {
    Array whole; ///< bytes, with a guard before and after
    Array inner;
    bool isPoisoned;
  };

  Array addOutput(DType type, std::vector<int64_t> shape, bool isPoisoned);
  /// Memory with guards and the array between them.
  std::pair<Array, Array> allocate(DType type, std::vector<int64_t> shape) const;
  void fill(const Array &whole, uint8_t guard, uint8_t content) const;
  void requireGuards(const Output &output);
  void compare(const Array &output, const Doubles &reference, const Doubles &allowed);
  double runOnce() const;

  Device device_;
  std::string kernelFile, kernelName;
  std::mt19937_64 random{20260401};
  std::optional<float> spareNormal; // the polar method makes two at once
  float normalNumber();
  std::vector<Output> outputs;
  std::vector<Array> kept;
  std::vector<std::pair<Launch, Grid>> launches;
  std::optional<CompileOptions> compilation;
  Result result_;
};

} // namespace nereid::gallery
