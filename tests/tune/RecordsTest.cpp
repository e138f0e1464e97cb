// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EnvironmentVariable.h"
#include "TemporaryDirectory.h"
#include "nereid/tune.h"

#include <gtest/gtest.h>

#include <filesystem>

#include <random>
#include <thread>
#include <vector>

using namespace nereid;
using test::Variable;

namespace {

TuningRecord record(const std::string &configuration, double median, uint64_t calls = 10,
                    const std::string &key = "n=1") {
  return {{"add", "d1", "cpu haswell, 2 threads", key},
          "build 1",
          configuration,
          {median, median * 0.9, median * 1.1, calls},
          ""};
}

TuningRecord failed(const std::string &configuration, const std::string &failure) {
  TuningRecord record = ::record(configuration, 0, 0);
  record.timing = {};
  record.failure = failure;
  return record;
}

std::string messageOf(const std::string &text) {
  try {
    TuningRecords::fromText(text, "mine.json");
  } catch (const Error &error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

TEST(Records, GoThroughText) {
  TuningRecords records;
  records.add(record("BLOCK=64 num_warps=4", 0.1));
  records.add(record("MODE=\"a \\\"b\\\"\"", 1.0 / 3, 12345678901));
  records.add(failed("BLOCK=7", "line one\nline \"two\" \xc3\xa4 \x01"));
  std::string text = records.text();
  TuningRecords back = TuningRecords::fromText(text);
  EXPECT_EQ(back.text(), text);
  ASSERT_EQ(back.all().size(), 3u);
  EXPECT_EQ(back.all()[1].failure, "line one\nline \"two\" \xc3\xa4 \x01");
  EXPECT_EQ(back.all()[2].timing.median, 1.0 / 3);
  EXPECT_EQ(back.all()[2].timing.calls, 12345678901u);
  EXPECT_EQ(TuningRecords::fromText(TuningRecords().text()).all().size(), 0u);
}

TEST(Records, OfOneConfigurationTheOneOfMoreCallsStays) {
  TuningRecords records;
  records.add(record("A=1", 2, 10));
  records.add(record("A=1", 3, 20));
  records.add(record("A=1", 1, 10));
  ASSERT_EQ(records.all().size(), 1u);
  EXPECT_EQ(records.all()[0].timing.median, 3);
  records.add(record("A=1", 2.5, 20)); // the faster of as many
  EXPECT_EQ(records.all()[0].timing.median, 2.5);
  records.add(failed("A=1", "no")); // what ran once can run
  EXPECT_EQ(records.all()[0].failure, "");
  records.add(record("A=1", 2, 10, "n=2"));
  TuningRecord other = record("A=1", 2);
  other.compiler = "build 2";
  records.add(other);
  EXPECT_EQ(records.all().size(), 3u);
}

TEST(Records, MergeInAnyOrder) {
  std::mt19937 random(20261122);
  for (int round = 0; round < 200; ++round) {
    std::vector<TuningRecords> sets(3);
    for (TuningRecords &set : sets)
      for (int i = 0; i < 6; ++i) {
        std::string name = "A=" + std::to_string(random() % 4);
        set.add(random() % 4 ? record(name, 1 + random() % 3, 1 + random() % 2)
                             : failed(name, random() % 2 ? "x" : "y"));
      }
    TuningRecords one = sets[0], other = sets[2];
    one.add(sets[1]);
    one.add(sets[2]);
    TuningRecords inner = sets[1];
    inner.add(sets[0]);
    other.add(inner);
    ASSERT_EQ(one.text(), other.text()) << "round " << round;
  }
}

TEST(Records, WhatIsNoneIsRefused) {
  EXPECT_NE(messageOf("{").find("mine.json holds no tuning records"), std::string::npos);
  EXPECT_NE(messageOf("").find("mine.json holds no tuning records"), std::string::npos);
  EXPECT_NE(messageOf("[1]").find("mine.json holds no tuning records"), std::string::npos);
  EXPECT_NE(messageOf("[\n1").find("line 2, column 2 is no JSON"), std::string::npos);
  EXPECT_NE(messageOf("[1]").find("records: it is no object: array"), std::string::npos);
  EXPECT_NE(messageOf(R"({"a": 1})").find("records: it has no 'format'"), std::string::npos);
  std::string lines = "{\"format\": \"nereid tuning records\", \"version\": 1, \"records\": [\n"
                      "{\"kernel\": \"a,[{\", \"key\": \"\", \"target\": \"\", \"digest\": \"\",\n"
                      "\"compiler\": \"\", \"configuration\": \"\", \"failure\": \"\"},\n";
  EXPECT_NE(messageOf(lines + "{\"key\": 3}]}").find("in line 4, /records/1 has no 'kernel'"),
            std::string::npos);
  EXPECT_NE(messageOf(lines + "\n{\"kernel\": 3}]}")
                .find("in line 5, /records/1/kernel is of the wrong kind: number"),
            std::string::npos);
  EXPECT_NE(messageOf(R"({"format": "other", "version": 1, "records": []})")
                .find("holds no tuning records"),
            std::string::npos);
  EXPECT_NE(messageOf(R"({"format": "nereid tuning records", "version": 9, "records": []})")
                .find("another version"),
            std::string::npos);
  std::string text = [] {
    TuningRecords records;
    records.add(record("A=1", 2));
    return records.text();
  }();
  size_t place = text.find("\"calls\"");
  EXPECT_NE(messageOf(text.substr(0, place) + "\"cells\"" + text.substr(place + 7)).find("calls"),
            std::string::npos);
  EXPECT_THROW(TuningRecords::load("/nowhere/x.json"), Error);
}

/// Calls `add` with a number each, all at once.
template <typename F> void atOnce(int count, F add) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([=] { add(i); });
}

TuningRecords only(const TuningRecord &record) {
  TuningRecords records;
  records.add(record);
  return records;
}

TEST(Records, OfSeveralWhoAddToOneFileNoneIsLost) {
  test::TemporaryDirectory directory;
  std::string path = directory.path("tuned.json");
  atOnce(8, [&](int i) { only(record("A=" + std::to_string(i), 2)).addTo(path); });
  EXPECT_EQ(TuningRecords::load(path).all().size(), 8u);
  only(record("A=3", 1, 20)).addTo(path); // knows better
  ASSERT_EQ(TuningRecords::load(path).all().size(), 8u);
  EXPECT_EQ(TuningRecords::load(path).all()[3].timing.median, 1);
}

TEST(Records, OfSeveralWhoKeepThoseOfOneKernelNoneIsLost) {
  test::TemporaryDirectory directory;
  Variable on("NEREID_CACHE", "on"), place("NEREID_CACHE_DIR", directory.path("kept"));
  atOnce(8, [&](int i) { only(record("A=" + std::to_string(i), 2)).keep(); });
  EXPECT_EQ(TuningRecords::kept().all().size(), 8u);
}

TEST(Records, WhereNoneCanBeIsSaidAtOnce) {
  TuningRecords records = only(record("A=1", 2));
  for (const std::string &path : {std::string("/dev/full"), std::string("/dev/zero"),
                                  std::string(300, 'n'), std::string(5000, 'n')}) {
    EXPECT_THROW(TuningRecords::load(path), Error) << path;
    EXPECT_THROW(records.addTo(path), Error) << path;
    EXPECT_THROW(records.save(path), Error) << path;
  }
}

TEST(Records, AFileThatClaimsToBeHugeIsNotRead) {
  test::TemporaryDirectory directory;
  directory.write("huge.json", "{");
  std::string path = directory.path("huge.json");
  std::filesystem::resize_file(path, uintmax_t(64) << 30); // nothing of it lies on the disk
  try {
    TuningRecords::load(path);
    FAIL() << "it was read";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), Error::Kind::Environment);
    EXPECT_NE(std::string(error.what()).find("huge.json is larger than 64 MiB"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(only(record("A=1", 2)).addTo(path), Error);
}

TEST(Records, AreKeptForTheNextProcess) {
  test::TemporaryDirectory directory;
  Variable on("NEREID_CACHE", "on"), place("NEREID_CACHE_DIR", directory.path("kept"));
  EXPECT_TRUE(TuningRecords::kept().all().empty());
  TuningRecords records;
  records.add(record("A=1", 2));
  records.add(record("A=2", 2));
  records.add(record("A=1", 2, 10, "n=2"));
  records.keep();
  EXPECT_EQ(TuningRecords::kept().text(), records.text());
  TuningRecords more;
  more.add(record("A=3", 2));
  more.keep();
  records.add(more);
  EXPECT_EQ(TuningRecords::kept().text(), records.text());
  records.save(directory.path("all.json"));
  EXPECT_EQ(TuningRecords::clearKept(), 2u);
  EXPECT_TRUE(TuningRecords::kept().all().empty());
  EXPECT_EQ(TuningRecords::load(directory.path("all.json")).text(), records.text());
  Variable off("NEREID_CACHE", "off");
  records.keep();
  EXPECT_TRUE(TuningRecords::kept().all().empty());
}

} // namespace
