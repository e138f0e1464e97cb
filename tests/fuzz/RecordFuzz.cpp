// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of tuning records, the user's own and others: what is damaged costs no more than itself,
// and nothing that is added is lost.
#include "../runtime/TemporaryDirectory.h"
#include "Kinds.h"
#include "Mutations.h"
#include "OddPlaces.h"
#include "nereid/tune.h"

#include <algorithm>
#include <cstdlib>

namespace nereid::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char *recordWords[] = {"{",
                                       "}",
                                       "[",
                                       "]",
                                       ":",
                                       ",",
                                       "\"",
                                       "null",
                                       "true",
                                       "-1",
                                       "1e999",
                                       "0.5",
                                       "NaN",
                                       "\\",
                                       "\\ud800",
                                       "\\u0000",
                                       "\x1b[2J",
                                       "\xff",
                                       "failure",
                                       "calls",
                                       "version",
                                       "2",
                                       "[[[[",
                                       "18446744073709551616",
                                       "\"kernel\": \"k\"",
                                       "{}",
                                       "[]"};

TuningRecord recordOf(const std::string &kernel, const std::string &configuration) {
  return {{kernel, "d1", "cpu of nobody, 2 threads", "n=1"},
          "a build",
          configuration,
          {1.5, 1.25, 2, 100},
          ""};
}

bool holds(const TuningRecords &all, const TuningRecord &wanted) {
  return std::ranges::any_of(all.all(), [&](const TuningRecord &record) {
    return record.subject.kernel == wanted.subject.kernel &&
           record.configuration == wanted.configuration;
  });
}

class RecordKind final : public Kind {
public:
  RecordKind() {
    setenv("NEREID_CACHE", "on", 1);
    setenv("NEREID_CACHE_DIR", own.path("cache").c_str(), 1);
    TuningRecords records;
    records.add(recordOf("k", "B=1"));
    records.keep();
    for (const auto &entry : fs::directory_iterator(own.path("cache/tuning")))
      if (entry.path().extension() == ".json")
        kept = entry.path();
    require(!kept.empty(), "no records were kept");
    TuningRecord failed = recordOf("k", "B=2");
    failed.failure = "does not fit";
    records.add(failed);
    text = records.text();
    other.add(recordOf("another", "B=3"));
    other.keep();
  }

  /// A letter that says where it goes, and the text, or what stands in its place.
  std::string make(Random &random) override {
    constexpr std::string_view places = "tkf";
    std::string place(1, random.pick(places));
    if (place != "t" && random.oneIn(8))
      return place + "!" + std::to_string(random.below(oddThings));
    std::string damaged = text;
    random.oneIn(2) ? damageWords(random, damaged, recordWords, 1) : damageBytes(random, damaged);
    if (random.oneIn(100))
      damaged.insert(random.below(damaged.size()), 50000, "[{"[random.below(2)]);
    return place + damaged;
  }

  Outcome attempt(const std::string &input) override {
    std::string rest = input.substr(std::min<size_t>(input.size(), 1));
    if (input.starts_with('k'))
      return keep(rest);
    if (input.starts_with('f'))
      return addToFile(rest);
    return unlessRefused([&] {
      TuningRecords records = TuningRecords::fromText(rest);
      require(TuningRecords::fromText(records.text()).text() == records.text(),
              "records do not come back as they were written");
    });
  }

private:
  void put(const fs::path &path, const std::string &rest) const {
    writeWhole(path, rest.starts_with('!') ? text : rest);
    if (rest.starts_with('!') && rest.size() > 1)
      putOddThing(static_cast<unsigned>(rest[1] - '0') % oddThings, path, own.path("elsewhere"));
  }

  /// The user's own.
  Outcome keep(const std::string &rest) {
    put(kept, rest);
    TuningRecords added;
    added.add(recordOf("k", "B=4"));
    added.keep();
    TuningRecords all = TuningRecords::kept();
    require(holds(all, other.all()[0]), "a record of another kernel is lost");
    // Where something that is no file has the place nothing can be kept.
    bool canBeKept = !rest.starts_with("!0");
    require(!canBeKept || holds(all, added.all()[0]), "a record that was added is lost");
    return holds(all, recordOf("k", "B=1")) ? Outcome::Accepted : Outcome::Refused;
  }

  /// What `--records` names.
  Outcome addToFile(const std::string &rest) {
    fs::path path = own.path("records.json");
    put(path, rest);
    TuningRecords added;
    added.add(recordOf("k", "B=4"));
    Outcome outcome = unlessRefused([&] {
      added.addTo(path);
      require(holds(TuningRecords::load(path), added.all()[0]), "a record that was added is lost");
    });
    if (outcome == Outcome::Refused && !rest.starts_with('!'))
      require(readWhole(path) == rest, "a file that was refused was changed");
    return outcome;
  }

  test::TemporaryDirectory own;
  fs::path kept;
  std::string text;
  TuningRecords other;
};

} // namespace

std::unique_ptr<Kind> recordKind() { return std::make_unique<RecordKind>(); }

} // namespace nereid::fuzz
