// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long kernels take, and which of several configurations is the fastest (docs/tuning.md):
//
//   nereid::TuningResult result = nereid::tune(
//       device, kernel, [](const nereid::Constants &c) { return ...; }, {{"x", x}, {"n", n}},
//       {{.values = {{"BLOCK", 64}}}, {.values = {{"BLOCK", 128}}, .tuning = {.warps = 8}}});
//   const nereid::Configuration &best = result.best().configuration;
//   kernel.launch(device, grid, best.appliedTo(arguments), {.tuning = best.tuning});
#pragma once

#include "nereid/Export.h"
#include "nereid/nereid.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid {

// ---- Timing

/// What several calls took. Times are in milliseconds.
class NEREID_API Measurement {
public:
  /// One time at least.
  explicit Measurement(std::vector<double> times);

  /// In the order of the calls.
  const std::vector<double> &times() const { return given; }
  /// `share` is from 0, the least, to 1; between two times they are weighted (Hyndman and Fan's
  /// seventh definition, which NumPy has too).
  double quantile(double share) const;
  double median() const { return quantile(0.5); }
  /// How far the middle three fifths of the times lie apart, as a share of the median.
  double spread() const;
  /// The machine did something else meanwhile: the spread is above 0.1, and kernels that differ by
  /// less than it cannot be told apart.
  bool isNoisy() const { return spread() > 0.1; }

private:
  std::vector<double> given, sorted;
};

struct TimerOptions {
  /// Calls that do not count are made for so long, then calls that count. What is done before each
  /// (prepare, a flushed cache) is of that time, but not of what is measured.
  double warmupMilliseconds = 25, repeatMilliseconds = 100;
  /// Of calls that count, whatever they take.
  size_t fewestCalls = 5, mostCalls = 1'000'000;
  /// A GPU: before each launch that counts its L2 cache is filled with something else. Kernels on a
  /// CPU find there what their last launch left.
  bool flushesCache = true;
  /// A GPU: many launches are recorded and given to it as a whole (nereid/graph.h), so that what a
  /// launch costs the host is no part of the time, however short the kernel is. Each time is the
  /// mean of such a run, and the cache is left alone.
  bool usesGraph = false;
  /// Milliseconds since any moment. Empty: the system's clock that never goes back, or, of launches
  /// on a GPU, the GPU's events.
  std::function<double()> clock = {};
};

/// Times a call that returns when its work is done. `prepare` runs before each and does not count.
NEREID_API Measurement measureCalls(const std::function<void()> &call,
                                    const TimerOptions &options = {},
                                    const std::function<void()> &prepare = {});

/// Times launches. Keeps what it needs on the device.
class NEREID_API Timer {
public:
  explicit Timer(const Device &device, TimerOptions options = {});
  /// What the kernel prints meanwhile is thrown away.
  Measurement measure(const Launch &launch, Grid grid) const;
  /// The same of other work: `queue` gives it to the stream, or, off a GPU, does it and is given
  /// null. `prepare` comes before each, and does not count.
  using Work = std::function<void(const Stream *stream)>;
  Measurement measureWork(const Work &queue, const Work &prepare = {}) const;

private:
  struct State;
  std::shared_ptr<State> state;
};

// ---- Configurations

/// One way to run a kernel: values for some of its parameters, and how a GPU runs it.
struct Configuration {
  /// Constants only.
  Arguments values = {};
  Tuning tuning = {};

  /// "BLOCK=64 num_warps=4": the values by name, then what is set of the tuning. Names it in
  /// records: equal text, equal configuration.
  NEREID_API std::string text() const;
  /// `arguments` and the values.
  NEREID_API Arguments appliedTo(Arguments arguments) const;
};

/// What a configuration took, in milliseconds: the median, and what a fifth of the calls were below
/// and above.
struct Timing {
  double median = 0, low = 0, high = 0;
  uint64_t calls = 0;
};
NEREID_API Timing summarize(const Measurement &measurement);

// ---- Records

/// What times are times of.
struct TuningSubject {
  std::string kernel; ///< its name
  std::string digest; ///< of its text and all that it mentions
  std::string target; ///< "cpu haswell, 8 threads": what it ran on
  std::string key;    ///< "n=1000 x:f32": of which arguments
};

/// What became of one configuration.
struct TuningRecord {
  TuningSubject subject;
  std::string compiler;      ///< the build of Nereid
  std::string configuration; ///< Configuration::text()
  Timing timing;
  std::string failure; ///< why it does not run; empty if it was timed
};

/// A set of records. Of two for the same configuration, subject and compiler, the one of more calls
/// stays, or else the faster: in which order sets are merged makes no difference.
class NEREID_API TuningRecords {
public:
  /// Throws Error(Environment) if the file cannot be read or holds no records.
  static TuningRecords load(const std::string &path);
  /// What load() reads; `name` stands for the path in messages.
  static TuningRecords fromText(std::string_view text, const std::string &name = "<text>");
  /// All that this machine's user found so far (docs/tuning.md says where), and what keep() added.
  static TuningRecords kept();

  void add(TuningRecord record);
  void add(const TuningRecords &others);
  const std::vector<TuningRecord> &all() const { return records; }

  /// JSON, in an order that depends on nothing but what there is.
  std::string text() const;
  /// The file appears whole or not at all.
  void save(const std::string &path) const;
  /// Adds them to those of a file, which is made if it is not there. Of several processes that do
  /// so at once none loses what another adds.
  void addTo(const std::string &path) const;
  /// Adds them to the user's own. Does nothing if the cache is off.
  void keep() const;
  /// Removes the user's own; how many files there were.
  static size_t clearKept();

private:
  std::vector<TuningRecord> records;
};

// ---- Tuning

/// One configuration, tried.
struct Trial {
  Configuration configuration;
  TuningRecord record;
  /// It was tried before, and not now.
  bool isFromRecord = false;
};

struct TuningProgress {
  size_t compiled = 0, timed = 0, all = 0;
  /// What is being timed; empty while configurations are compiled.
  std::string name;
};

/// What goes for every way to try configurations.
struct TrialOptions {
  /// The user's own records are read, and what is found is added to them.
  bool keepsRecords = true;
  /// Records that came with the program. They are believed whichever build of Nereid made them.
  TuningRecords known = {};
  /// So many seconds, at most, are waited for another process or thread that tries candidates of
  /// the same subject and keeps records: what it finds is not tried again. Those that launch
  /// kernels which wait for another process must not wait here: 0.
  double waitSeconds = 300;
  /// Configurations that are compiled at once; 0: one per core.
  unsigned compileThreads = 0;
  /// Says on standard error what is tried, in Triton's words. Nothing: if TRITON_PRINT_AUTOTUNING
  /// is 1 in the environment.
  std::optional<bool> prints = {};
  /// Called now and then, by one thread at a time.
  std::function<void(const TuningProgress &)> progress = {};
};

/// A configuration as its host tries it. What `compile` or `time` throws as an Error is its
/// failure.
struct Candidate {
  std::string name; ///< of the configuration; names it in records
  /// Runs on any thread, beside those of others. May be empty.
  std::function<void()> compile;
  /// Runs on the calling thread, alone.
  std::function<Timing()> time;
};

/// Tries each candidate that no record tells of: compiles them side by side, then times one after
/// the other. The trials stand in the order of the candidates, without configurations. Of failures
/// only mistakes in the kernel (Error::Kind::Source) are recorded: others may have passed next
/// time.
NEREID_API std::vector<Trial> tryCandidates(const TuningSubject &subject,
                                            const std::vector<Candidate> &candidates,
                                            const TrialOptions &options = {});

/// What tells records for this device from others'.
NEREID_API std::string tuningTarget(const Device &device);

struct TuningOptions {
  TrialOptions trials = {};
  TimerOptions timer = {};
  /// Arguments for whose values the best configuration may be another one: records are kept for
  /// each. Types of arrays always count. Nothing: all numbers, and shapes of arrays.
  std::optional<std::vector<std::string>> key = {};
  /// Leaves out what is not worth a trial.
  std::function<std::vector<Configuration>(std::vector<Configuration>)> prune = {};
  /// What a configuration will about take, in any unit: only the `most` best ones are tried.
  std::function<double(const Configuration &)> estimate = {};
  size_t most = 0; ///< 0: all
  /// Arrays that get back what they held, after each trial.
  std::vector<std::string> restored = {};
};

/// What @triton.autotune and @triton.heuristics say above a kernel in its file.
struct WrittenTuning {
  std::vector<Configuration> configurations = {};   ///< none: no @triton.autotune, or a failure
  std::optional<std::vector<std::string>> key = {}; ///< as TuningOptions::key
  std::vector<std::string> restored = {};           ///< restore_value
  /// What of these three only a running Python would know, as a message; empty if all is known.
  std::string failure = {};
  /// A parameter that is computed from the others: an expression (nereid/expression.h) over the
  /// arguments and the configuration, empty if only Python could compute it.
  struct Heuristic {
    std::string name, expression;
  };
  std::vector<Heuristic> heuristics = {};
  /// Where something stands ("add.py:7:5") that would leave configurations out and that only Python
  /// could follow: prune_configs_by.
  std::vector<std::string> unread = {};
};

/// Nothing is run: configurations may stand in the decorator, in a list of the module that it
/// names, or in a function that only returns one.
NEREID_API WrittenTuning writtenTuning(const Kernel &kernel);

class NEREID_API TuningResult {
public:
  explicit TuningResult(std::vector<Trial> trials);
  /// The fastest first, then those that failed.
  const std::vector<Trial> &trials() const { return sorted; }
  const Trial &best() const { return sorted.front(); }

private:
  std::vector<Trial> sorted;
};

/// Finds the fastest of `configurations` for `arguments`, which leave out what those give. Nothing
/// is launched that is in records. Throws Error(Usage), with the reasons, if none of them runs.
NEREID_API TuningResult tune(const Device &device, const Kernel &kernel, const GridFunction &grid,
                             const Arguments &arguments,
                             const std::vector<Configuration> &configurations,
                             const TuningOptions &options = {});

} // namespace nereid
