// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Candidates: who is compiled and timed when, and what records change about that.
#include "EnvironmentVariable.h"
#include "TemporaryDirectory.h"
#include "nereid/tune.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

using namespace nereid;
using test::Variable;

namespace {

const TuningSubject subject{"add", "d1", "cpu haswell, 2 threads", "n=1"};

/// Candidates that say what was done with them.
class TrialsTest : public testing::Test {
protected:
  Candidate candidate(const std::string &name, double time) {
    return {name, [this] { ++compiled; },
            [this, name, time] {
              timed += name + " ";
              return Timing{time, time, time, 5};
            }};
  }
  std::vector<Trial> run(const std::vector<Candidate> &candidates, TrialOptions options = {}) {
    timed.clear();
    compiled = 0;
    return tryCandidates(subject, candidates, options);
  }

  test::TemporaryDirectory directory;
  Variable on{"NEREID_CACHE", "on"}, place{"NEREID_CACHE_DIR", directory.path("kept")};
  std::string timed;
  std::atomic<int> compiled = 0;
};

TEST_F(TrialsTest, OnlyWhatIsNewIsTried) {
  std::vector<Trial> trials = run({candidate("A=1", 2), candidate("A=2", 1)});
  EXPECT_EQ(timed, "A=1 A=2 ");
  EXPECT_EQ(compiled, 2);
  EXPECT_EQ(trials[0].record.timing.median, 2);
  EXPECT_FALSE(trials[0].isFromRecord);
  trials = run({candidate("A=3", 4), candidate("A=1", 9)});
  EXPECT_EQ(timed, "A=3 ");
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(trials[1].record.timing.median, 2);
  EXPECT_TRUE(trials[1].isFromRecord);
  run({candidate("A=3", 4), candidate("A=1", 9)});
  EXPECT_EQ(timed, "");
  run({candidate("A=1", 9)}, {.keepsRecords = false});
  EXPECT_EQ(timed, "A=1 ");
}

TEST_F(TrialsTest, AnotherSubjectIsTriedAnew) {
  run({candidate("A=1", 2)});
  for (std::string TuningSubject::*part : {&TuningSubject::kernel, &TuningSubject::digest,
                                           &TuningSubject::target, &TuningSubject::key}) {
    TuningSubject other = subject;
    other.*part += "x";
    EXPECT_FALSE(tryCandidates(other, {candidate("A=1", 2)})[0].isFromRecord);
  }
}

TEST_F(TrialsTest, RecordsOfAnotherBuildCountOnlyIfTheyCameWithTheProgram) {
  TuningRecords records;
  records.add({subject, "a build of yesterday", "A=1", {7, 7, 7, 5}, ""});
  records.keep();
  EXPECT_FALSE(run({candidate("A=1", 2)}, {})[0].isFromRecord);
  TuningRecords::clearKept();
  std::vector<Trial> trials = run({candidate("A=1", 2), candidate("A=2", 3)}, {.known = records});
  EXPECT_EQ(timed, "A=2 ");
  EXPECT_EQ(trials[0].record.timing.median, 7);
  // What failed then may run now.
  TuningRecords failed;
  failed.add({subject, "a build of yesterday", "A=3", {}, "no"});
  EXPECT_EQ(run({candidate("A=3", 2)}, {.known = failed})[0].record.failure, "");
  EXPECT_EQ(timed, "A=3 ");
}

TEST_F(TrialsTest, WhatWasFoundBeforeAnEndIsKept) {
  Candidate broken = candidate("A=2", 1);
  broken.time = []() -> Timing { throw std::logic_error("mine"); };
  EXPECT_THROW(run({candidate("A=1", 1), broken}), std::logic_error);
  EXPECT_TRUE(run({candidate("A=1", 1)})[0].isFromRecord);
}

TEST_F(TrialsTest, FailuresAreReportedAndSkipped) {
  auto failing = [&](Error::Kind kind, const std::string &what) {
    Candidate broken = candidate(what, 1);
    broken.compile = [=] { throw Error(kind, what); };
    return broken;
  };
  Candidate late = candidate("late", 1);
  late.time = []() -> Timing { throw Error(Error::Kind::Usage, "at its launch"); };
  auto attempt = [&] {
    return run({failing(Error::Kind::Source, "source"), failing(Error::Kind::Environment, "memory"),
                late, candidate("A=1", 2)});
  };
  std::vector<Trial> trials = attempt();
  EXPECT_EQ(timed, "A=1 ");
  EXPECT_EQ(trials[0].record.failure, "source");
  EXPECT_EQ(trials[1].record.failure, "memory");
  EXPECT_EQ(trials[2].record.failure, "at its launch");
  EXPECT_EQ(trials[3].record.failure, "");
  // What no other day will mend is known, the rest is tried again.
  trials = attempt();
  EXPECT_TRUE(trials[0].isFromRecord);
  EXPECT_EQ(trials[0].record.failure, "source");
  EXPECT_FALSE(trials[1].isFromRecord);
  EXPECT_FALSE(trials[2].isFromRecord);
  EXPECT_TRUE(trials[3].isFromRecord);
}

TEST_F(TrialsTest, WhatIsNoErrorLeaves) {
  Candidate broken = candidate("A=1", 1);
  broken.compile = [] { throw std::logic_error("mine"); };
  EXPECT_THROW(run({broken, candidate("A=2", 1)}, {.compileThreads = 2}), std::logic_error);
  broken = candidate("A=1", 1);
  broken.time = []() -> Timing { throw std::logic_error("mine"); };
  EXPECT_THROW(run({broken}), std::logic_error);
}

TEST_F(TrialsTest, CompilesSideBySideAndTimesOneAfterTheOther) {
  std::atomic<int> here = 0, timing = 0;
  std::vector<Candidate> candidates;
  for (int i = 0; i < 3; ++i)
    candidates.push_back({"A=" + std::to_string(i),
                          [&] {
                            ++here;
                            auto limit =
                                std::chrono::steady_clock::now() + std::chrono::seconds(60);
                            while (here < 3) // each waits for the others
                              if (std::chrono::steady_clock::now() > limit)
                                throw std::runtime_error("alone");
                          },
                          [&] {
                            EXPECT_EQ(here, 3);
                            EXPECT_EQ(++timing, 1);
                            --timing;
                            return Timing{1, 1, 1, 1};
                          }});
  run(candidates, {.compileThreads = 3});
}

TEST_F(TrialsTest, TellsHowFarItIs) {
  std::string told;
  TrialOptions options{.compileThreads = 1};
  options.progress = [&](const TuningProgress &progress) {
    told += std::to_string(progress.compiled) + '/' + std::to_string(progress.timed) + '/' +
            std::to_string(progress.all) + ' ' + progress.name + '\n';
  };
  run({candidate("A=1", 2)}, options);
  EXPECT_EQ(told, "0/0/1 \n1/0/1 \n1/0/1 A=1\n");
  told.clear();
  run({candidate("A=1", 2), candidate("A=2", 2), candidate("A=3", 2)}, options);
  EXPECT_EQ(told, "0/0/2 \n1/0/2 \n2/0/2 \n2/0/2 A=2\n2/1/2 A=3\n");
}

TEST_F(TrialsTest, PrintsWhatTritonPrints) {
  Variable print("TRITON_PRINT_AUTOTUNING", "1");
  Candidate broken = candidate("A=0", 1);
  broken.compile = [] { throw Error(Error::Kind::Usage, "too large"); };
  testing::internal::CaptureStderr();
  run({broken, candidate("A=1", 2), candidate("A=2", 1)});
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("Autotuning kernel add with config A=1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Autotuning failed with too large\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Triton autotuning for function add,\nwith key as n=1,\nfinished after "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("best config selected: A=2;\n"), std::string::npos) << text;
}

/// As ranks of a job do, which all come to the same kernel at once.
TEST_F(TrialsTest, OfSeveralAtOnceOneTries) {
  auto tryTogether = [](double waitSeconds) {
    std::atomic<int> tried = 0;
    auto one = [&] {
      std::vector<Candidate> candidates;
      for (const char *name : {"A=1", "A=2", "A=3"})
        candidates.push_back({name, {}, [&] {
                                std::this_thread::sleep_for(std::chrono::milliseconds(300));
                                double time = ++tried;
                                return Timing{time, time, time, 5};
                              }});
      return tryCandidates({"mul", "d2", "cpu", std::to_string(waitSeconds)}, candidates,
                           {.waitSeconds = waitSeconds});
    };
    std::vector<std::vector<Trial>> found(3);
    {
      std::vector<std::jthread> threads;
      for (auto &trials : found)
        threads.emplace_back([&] { trials = one(); });
    }
    if (waitSeconds > 0)
      for (const auto &trials : found)
        for (size_t i = 0; i < trials.size(); ++i)
          EXPECT_EQ(trials[i].record.timing.median, found[0][i].record.timing.median);
    return tried.load();
  };
  EXPECT_EQ(tryTogether(60), 3);
  EXPECT_GT(tryTogether(0), 3);
  for (const auto &entry : std::filesystem::recursive_directory_iterator(directory.path("kept")))
    EXPECT_EQ(entry.path().string().find("turn-"), std::string::npos) << entry.path();
}

TEST_F(TrialsTest, DamagedRecordsAreMadeAgain) {
  run({candidate("A=1", 2)});
  for (const auto &file : std::filesystem::directory_iterator(directory.path("kept/tuning")))
    std::ofstream(file.path()) << "{ not this";
  run({candidate("A=1", 2)});
  EXPECT_EQ(timed, "A=1 ");
  run({candidate("A=1", 2)});
  EXPECT_EQ(timed, "");
}

} // namespace
