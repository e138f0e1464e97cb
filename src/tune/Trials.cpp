// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/EnvironmentVariables.h"
#include "tune/RecordStore.h"
#include "tune/Subject.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

namespace nereid {
namespace {

bool isPrintedByDefault() {
  const char *value = readVariable(KnownVariable::TRITON_PRINT_AUTOTUNING);
  return value && std::strcmp(value, "1") == 0;
}

/// The record that says what became of a configuration, or null. What was found by another build is
/// believed only if it came with the program, and only if it ran.
const TuningRecord *findRecord(const TuningRecords &records, const TuningSubject &subject,
                               const std::string &configuration, bool ofAnyBuild) {
  const TuningRecord *found = nullptr;
  for (const TuningRecord &record : records.all()) {
    const TuningSubject &of = record.subject;
    bool isSame = record.configuration == configuration && of.digest == subject.digest &&
                  of.kernel == subject.kernel && of.target == subject.target &&
                  of.key == subject.key;
    bool isOurs = record.compiler == tuning::compiler();
    if (isSame && (isOurs || (ofAnyBuild && record.failure.empty() && !found)))
      found = &record;
  }
  return found;
}

struct Outcome {
  std::string failure; // empty: none
  /// It follows from what the record is of, so that it would fail the next time as well.
  bool isLasting = true;
};
template <typename F> Outcome attempt(F &&act) {
  try {
    act();
    return {};
  } catch (const Error &error) {
    return {error.what(), error.kind() == Error::Kind::Source};
  }
}

class TrialRun {
public:
  TrialRun(const TuningSubject &subject, const std::vector<Candidate> &candidates,
           const TrialOptions &options)
      : subject(subject), candidates(candidates), options(options), trials(candidates.size()),
        outcomes(candidates.size()), prints(options.prints.value_or(isPrintedByDefault())) {
    if (options.keepsRecords)
      store = tuning::RecordStore::open();
  }

  std::vector<Trial> run() {
    auto start = std::chrono::steady_clock::now();
    takeRecords();
    std::unique_ptr<tuning::Turn> turn = left.empty() ? nullptr : takeTurn();
    if (left.empty())
      return std::move(trials);
    progress.all = left.size();
    compileAll();
    for (size_t index : left)
      time(index);
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (prints)
      printBest(elapsed.count());
    return std::move(trials);
  }

private:
  /// Of several who try the same, as the ranks of a job do, one does, and the others take its
  /// records. Nobody waits for ever: it may be for us that the other one waits.
  std::unique_ptr<tuning::Turn> takeTurn() {
    std::unique_ptr<tuning::Turn> turn;
    bool isPossible = store.has_value();
    constexpr double day = 24 * 3600;
    auto most = std::chrono::milliseconds(
        static_cast<int64_t>(1000 * std::clamp(options.waitSeconds, 0.0, day)));
    auto deadline = std::chrono::steady_clock::now() + most;
    bool hasWaited = false;
    while (isPossible && !(turn = store->takeTurn(subject, most, isPossible)) && isPossible &&
           std::chrono::steady_clock::now() < deadline) {
      if (prints && !hasWaited)
        std::fprintf(stderr, "Waiting for another process that tunes kernel %s\n",
                     printable(subject.kernel).c_str());
      hasWaited = true;
      tell("");
    }
    // Somebody may have finished between the first look and the turn.
    left.clear();
    takeRecords();
    return turn;
  }

  void takeRecords() {
    TuningRecords own;
    if (store)
      own = store->find(subject);
    for (size_t i = 0; i < candidates.size(); ++i) {
      trials[i].record = {subject, tuning::compiler(), candidates[i].name, {}, {}};
      const TuningRecord *record = findRecord(own, subject, candidates[i].name, false);
      if (!record)
        record = findRecord(options.known, subject, candidates[i].name, true);
      if (!record) {
        left.push_back(i);
        continue;
      }
      trials[i].record = *record;
      trials[i].isFromRecord = true;
    }
  }

  void compileAll() {
    tell("");
    unsigned wanted = options.compileThreads ? options.compileThreads
                                             : std::max(1u, std::thread::hardware_concurrency());
    std::atomic<size_t> next = 0;
    std::exception_ptr thrown;
    auto work = [&] {
      for (size_t i; (i = next++) < left.size();)
        try {
          compile(left[i]);
        } catch (...) { // no Error: nothing that a configuration may do
          std::lock_guard lock(mutex);
          thrown = std::current_exception();
          next = left.size();
        }
    };
    {
      std::vector<std::jthread> others;
      try {
        for (size_t i = 1; i < std::min<size_t>(wanted, left.size()); ++i)
          others.emplace_back(work);
      } catch (const std::system_error &) {
        // A limit on threads makes it slower, not impossible: this one works, too.
      }
      work();
    }
    if (thrown)
      std::rethrow_exception(thrown);
  }

  void compile(size_t index) {
    if (candidates[index].compile)
      outcomes[index] = attempt(candidates[index].compile);
    std::lock_guard lock(mutex);
    ++progress.compiled;
    tell("");
  }

  void time(size_t index) {
    TuningRecord &record = trials[index].record;
    Outcome &outcome = outcomes[index];
    tell(record.configuration);
    if (prints)
      std::fprintf(stderr, "Autotuning kernel %s with config %s\n",
                   printable(subject.kernel).c_str(), printable(record.configuration).c_str());
    if (outcome.failure.empty())
      outcome = attempt([&] { record.timing = candidates[index].time(); });
    record.failure = outcome.failure;
    ++progress.timed;
    if (prints && !record.failure.empty())
      std::fprintf(stderr, "Autotuning failed with %s\n", printable(record.failure).c_str());
    if (store && outcome.isLasting) { // at once: whoever ends the process has not lost it
      TuningRecords found;
      found.add(record);
      store->add(subject, found);
    }
  }

  void tell(const std::string &name) {
    progress.name = name;
    if (options.progress)
      options.progress(progress);
  }

  void printBest(double seconds) const {
    const TuningRecord *best = nullptr;
    for (const Trial &trial : trials)
      if (trial.record.failure.empty() &&
          (!best || trial.record.timing.median < best->timing.median))
        best = &trial.record;
    std::fprintf(stderr,
                 "Triton autotuning for function %s,\nwith key as %s,\nfinished after %.2fs,\nbest "
                 "config selected: %s;\n",
                 printable(subject.kernel).c_str(), printable(subject.key).c_str(), seconds,
                 best ? printable(best->configuration).c_str() : "none");
  }

  const TuningSubject &subject;
  const std::vector<Candidate> &candidates;
  const TrialOptions &options;
  std::optional<tuning::RecordStore> store;
  std::vector<Trial> trials;
  std::vector<Outcome> outcomes;
  bool prints;
  std::vector<size_t> left; // that no record tells of
  TuningProgress progress;
  std::mutex mutex;
};

} // namespace

std::vector<Trial> tryCandidates(const TuningSubject &subject,
                                 const std::vector<Candidate> &candidates,
                                 const TrialOptions &options) {
  return TrialRun(subject, candidates, options).run();
}

} // namespace nereid
