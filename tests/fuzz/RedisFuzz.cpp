// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache that machines share: a server that answers anything, and a real one that holds
// anything. What is believed is what was stored, launches give their results, and no record is
// lost.
#include "../runtime/LyingServer.h"
#include "../runtime/RedisServer.h"
#include "../runtime/TemporaryDirectory.h"
#include "Kinds.h"
#include "Mutations.h"
#include "OddPlaces.h"
#include "driver/RemoteCache.h"
#include "nereid/tune.h"
#include "runtime/RedisStore.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <poll.h>
#include <sys/socket.h>

namespace nereid::fuzz {
namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<uint8_t>;

Bytes bytesOf(const std::string &text) { return {text.begin(), text.end()}; }
std::string textOf(const Bytes &bytes) { return {bytes.begin(), bytes.end()}; }
std::string answerOf(const std::string &value) {
  return "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
}

constexpr const char *answerWords[] = {"$",
                                       "*",
                                       "+",
                                       "-",
                                       ":",
                                       "\r\n",
                                       "\r",
                                       "\n",
                                       "$-1\r\n",
                                       "*-1\r\n",
                                       "_\r\n",
                                       "0",
                                       "-1",
                                       "999999",
                                       "+OK",
                                       "-ERR",
                                       "%",
                                       "~",
                                       "2147483648",
                                       "(",
                                       "#t\r\n",
                                       ",1",
                                       "=1",
                                       "nan",
                                       "\x1b[",
                                       "\xff",
                                       ">1\r\n",
                                       "|1\r\n",
                                       "9223372036854775807",
                                       "*1\r\n$1\r\na\r\n"};

class RedisKind final : public Kind {
public:
  RedisKind() {
    server.emplace([this](int connection) { answer(connection); });
    wrapped = textOf(driver::wrapEntry("k.nrd", bytesOf(content), ""));
    if (redis)
      startMachine();
  }

  /// A letter: p, the answers of a server that lies; u, what one answers to a change of an entry;
  /// k, what a real one holds as a kernel; r, as records.
  std::string make(Random &random) override {
    if (redis && random.oneIn(4)) {
      bool isKernel = random.oneIn(4);
      std::string held = isKernel ? kernel : records, name = isKernel ? kernelName : recordsName;
      bool isWrapped = random.oneIn(2); // well, around something damaged
      held = isWrapped ? held : textOf(driver::wrapEntry(name, bytesOf(held), ""));
      if (!random.oneIn(8))
        damageBytes(random, held);
      if (isWrapped)
        held = textOf(driver::wrapEntry(name, bytesOf(held), ""));
      return (isKernel ? "k" : "r") + held;
    }
    if (random.oneIn(5)) {
      std::string text = random.oneIn(2) ? ":0\r\n" : ":1\r\n";
      if (!random.oneIn(4))
        damageWords(random, text, answerWords, 1);
      return "u" + text;
    }
    std::string text = random.oneIn(3) ? "" : answerOf(wrapped);
    if (random.oneIn(3))
      text += random.pick(answerWords);
    if (text.empty() || !random.oneIn(4))
      random.oneIn(2) ? damageBytes(random, text) : damageWords(random, text, answerWords);
    return (random.oneIn(1000) ? "w" : "p") + text;
  }

  Outcome attempt(const std::string &input) override {
    std::string rest = input.substr(std::min<size_t>(input.size(), 1));
    if (redis && input.starts_with('k'))
      return launch(rest);
    if (redis && input.starts_with('r'))
      return keep(rest);
    bool waits = input.starts_with('w'), changes = input.starts_with('u');
    {
      std::lock_guard lock(mutex);
      script = {rest, waits, changes};
    }
    driver::RemoteCache cache(
        runtime::openRedisStore(runtime::parseRedisAddress(server->url()), waits ? 50ms : 8000ms),
        {.secret = "", .rest = 0ms, .mostUpdating = 100ms, .warn = {}});
    if (changes) {
      std::string seen;
      cache.update("k.nrd", [&](const std::optional<Bytes> &there) {
        seen = there ? textOf(*there) : "nothing";
        return bytesOf("changed");
      });
      require(seen.empty() || seen == content, "what nobody stored was changed");
      return rest == ":1\r\n" ? Outcome::Accepted : Outcome::Refused;
    }
    std::optional<Bytes> found = cache.find("k.nrd");
    require(!found || textOf(*found) == content, "what nobody stored was believed");
    cache.store("k.nrd", bytesOf(content));
    return found ? Outcome::Accepted : Outcome::Refused;
  }

private:
  struct Script {
    std::string answers;
    bool waits = false, changes = false;
  };

  /// In pieces, so that the client sees parts.
  void answer(int connection) {
    Script now;
    {
      std::lock_guard lock(mutex);
      now = script;
    }
    const std::string &answers = now.answers;
    if (now.changes)
      return answerChanges(connection, answers);
    size_t half = answers.size() / 2;
    if (test::LyingServer::write(connection, answers.substr(0, half)))
      test::LyingServer::write(connection, answers.substr(half));
    pollfd hangup{connection, POLLRDHUP, 0};
    if (now.waits)
      poll(&hangup, 1, 5000);
  }

  /// What is asked for twice, and each time what comes of its change.
  void answerChanges(int connection, const std::string &answers) const {
    char request[1 << 14];
    auto isAsked = [&] { // by who does not wait for more of the answer
      pollfd more{connection, POLLIN, 0};
      return poll(&more, 1, 20) > 0 && recv(connection, request, sizeof(request), 0) > 0;
    };
    for (int i = 0; i < 2; ++i)
      if (!test::LyingServer::write(connection, answerOf(wrapped)) || !isAsked() ||
          !test::LyingServer::write(connection, answers) || !isAsked())
        return;
  }

  /// This process is a machine whose directory is empty each time.
  void startMachine() {
    setenv("NEREID_CACHE", "on", 1);
    setenv("NEREID_CACHE_DIR", own.path("cache").c_str(), 1);
    setenv("NEREID_REMOTE_CACHE", redis->url().c_str(), 1);
    setenv("NEREID_REMOTE_TIMEOUT", "8000", 1);
    device.emplace(Device::open("cpu", {.threads = 1}));
    run();
    first.add({{"k", "d", "cpu of the lab", "n=1"}, "a build", "B=1", {1, 1, 2, 50}, ""});
    first.keep();
    kernelName = onlyFile(own.path("cache"));
    recordsName = onlyFile(own.path("cache/tuning"));
    kernel = readWhole(own.path("cache/" + kernelName));
    records = readWhole(own.path("cache/tuning/" + recordsName));
    store = runtime::openRedisStore(runtime::parseRedisAddress(redis->url()), 8000ms);
  }

  static std::string onlyFile(const std::string &directory) {
    for (const auto &entry : std::filesystem::directory_iterator(directory))
      if (entry.is_regular_file())
        return entry.path().filename();
    throw Fault("nothing was kept in " + directory);
  }

  void run() {
    Array x = device->array(std::vector<float>{40});
    Module::fromText("import triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n"
                     "    tl.store(x, tl.load(x) + 2)\n")
        .kernel()
        .launch(*device, {1}, {{"x", x}});
    require(x.toVector<float>()[0] == 42, "a launch gives another result");
  }

  Outcome launch(const std::string &held) {
    removeThing(own.path("cache"));
    store->put("nereid:" + kernelName, bytesOf(held));
    run();
    std::optional<Bytes> after = store->get("nereid:" + kernelName);
    require(after && textOf(*after) == textOf(driver::wrapEntry(kernelName, bytesOf(kernel), "")),
            "the server has no whole entry after a launch");
    return textOf(*after) == held ? Outcome::Accepted : Outcome::Refused;
  }

  Outcome keep(const std::string &held) {
    removeThing(own.path("cache"));
    store->put("nereid:" + recordsName, bytesOf(held));
    TuningRecords added;
    added.add({{"k", "d", "cpu of the lab", "n=1"}, "a build", "B=2", {1, 1, 2, 50}, ""});
    added.keep();
    auto holds = [](const TuningRecords &all, const char *configuration) {
      return std::ranges::any_of(all.all(), [&](const TuningRecord &record) {
        return record.configuration == configuration;
      });
    };
    require(holds(TuningRecords::kept(), "B=2"), "a record that was added is lost");
    removeThing(own.path("cache"));
    TuningRecords again;
    again.add({{"k", "d", "cpu of the lab", "n=1"}, "a build", "B=3", {1, 1, 2, 50}, ""});
    again.keep();
    TuningRecords all = TuningRecords::kept();
    require(holds(all, "B=2"), "a record that was stored on the server is lost");
    return holds(all, "B=1") ? Outcome::Accepted : Outcome::Refused;
  }

  test::TemporaryDirectory own;
  std::string content = "machine code", wrapped;
  std::mutex mutex;
  Script script; // for whoever connects next
  std::optional<test::LyingServer> server;
  std::optional<test::RedisServer> redis = test::RedisServer::start(own.path(""));
  std::optional<Device> device;
  std::string kernelName, recordsName, kernel, records;
  TuningRecords first;
  std::unique_ptr<runtime::RemoteStore> store;
};

} // namespace

std::unique_ptr<Kind> redisKind() { return std::make_unique<RedisKind>(); }

} // namespace nereid::fuzz
