// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of a program, kept in a file and run again without the program (docs/compare.md):
//
//   nereid::Recording recording = nereid::Recording::load("run.launches");
//   for (size_t i = 0; i < recording.launches().size(); ++i) {
//     nereid::Replay replay(recording, i, device);
//     double milliseconds = replay.measure().median();
//   }
#pragma once

#include "nereid/analyze.h"
#include "nereid/host.h"
#include "nereid/tune.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nereid {

namespace host {

/// A function with all that its names stand for, and what it is compiled for, as text (JSON), so
/// that it can be compiled where there is no host. The kernel is traced for `options`: what
/// functions of the host answer meanwhile is part of the text. Mistakes in the kernel are
/// Errors(Source).
NEREID_API std::string describe(const Function &function, const std::vector<Argument> &arguments,
                                const CompileOptions &options);

struct Description {
  Function function;
  std::vector<Argument> arguments;
};
/// What describe() wrote. A kernel that asks a function of the host something else than it asked
/// then fails to compile. Throws Error(Environment) for any other text.
NEREID_API Description readDescription(std::string_view text);

} // namespace host

/// One launch of a recording.
struct RecordedLaunch {
  std::string kernel;
  Grid grid;
  /// How often the program launched it.
  uint64_t calls = 1;
  host::Options options = {};
  /// What it took then, in milliseconds, by whose kernel it was: "triton", "nereid".
  std::vector<std::pair<std::string, double>> milliseconds = {};
  /// Of all its arrays.
  uint64_t bytes = 0;
  /// Arrays that hold other numbers now, of the distribution of those that they held.
  std::vector<std::string> described = {};
  /// Why it cannot run again; empty if it can.
  std::string problem = {};
};

/// A file of launches.
class NEREID_API Recording {
public:
  /// Throws Error(Environment) if the file cannot be read, is damaged, or was written by a Nereid
  /// of another format or for another version of the language.
  static Recording load(const std::string &path);
  /// `name` stands for the path in messages.
  static Recording fromText(std::string_view text, const std::string &name = "<text>");

  const std::vector<RecordedLaunch> &launches() const;
  /// Where it was made: "NVIDIA H200, PyTorch 2.11.0, Triton 3.6.0".
  const std::string &machine() const;

  struct State;
  const State &get() const { return *state; }

private:
  explicit Recording(std::shared_ptr<const State> state) : state(std::move(state)) {}
  std::shared_ptr<const State> state;
};

/// One launch, compiled for a device, with its arrays there.
class NEREID_API Replay {
public:
  /// Throws Error(Usage) for a launch that cannot run again, Error(Environment) where the file
  /// turns out to be damaged, and what compiling throws.
  Replay(const Recording &recording, size_t launch, const Device &device);

  double compileMilliseconds() const;
  /// Gives the arrays what they held, and launches once; returns when that is done.
  void run() const;
  /// Arrays that a launch changes get back what they held before each one that is timed. A kernel
  /// that prints does so.
  Measurement measure(const TimerOptions &options = {}) const;

  /// The memory of each array as elements of the type with which the program had it, and the name
  /// of the first parameter that led to it.
  struct Memory {
    std::string name;
    Array elements;
  };
  std::vector<Memory> memories() const;
  /// What the compiler remarks for this device; nothing on the check device.
  std::vector<Remark> remarks() const;
  /// What the launch would ask of a GPU (nereid/analyze.h), as the program tuned it: nothing runs.
  /// Throws Error(Usage) where the arrays are a GPU's.
  Analysis analyze(AnalyzeOptions options = {}) const;

  struct State;

private:
  std::shared_ptr<State> state;
};

} // namespace nereid
