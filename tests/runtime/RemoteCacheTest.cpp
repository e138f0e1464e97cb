// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache that machines share: a real Redis server, and servers that fail in every way.
#include "driver/RemoteCache.h"
#include "LyingServer.h"
#include "RedisServer.h"
#include "TemporaryDirectory.h"
#include "runtime/RedisStore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <random>
#include <set>
#include <sys/socket.h>
#include <thread>

namespace nereid::test {
namespace {

using namespace std::chrono_literals;
using driver::RemoteCache;
using runtime::RemoteError;
using Bytes = std::vector<uint8_t>;

/// Long for a test that waits it out, and long enough for a busy machine that answers.
constexpr std::chrono::milliseconds patience = 20s, shortPatience = 300ms;

Bytes bytesOf(const std::string &text) { return {text.begin(), text.end()}; }

std::unique_ptr<runtime::RemoteStore> open(const std::string &url,
                                           std::chrono::milliseconds time = patience) {
  return runtime::openRedisStore(runtime::parseRedisAddress(url), time, 1 << 20);
}

std::string messageOf(const std::function<void()> &act) {
  try {
    act();
  } catch (const RemoteError &error) {
    return error.what();
  }
  return {};
}

class RemoteCacheTest : public testing::Test {
protected:
  RemoteCache cache(const std::string &url, const std::string &secret = "",
                    std::chrono::milliseconds time = patience,
                    std::chrono::milliseconds rest = 1h) {
    auto warn = [this](const std::string &text) { warnings += text + '\n'; };
    return RemoteCache(open(url, time), {.secret = secret, .rest = rest, .warn = warn});
  }
  TemporaryDirectory directory;
  std::string warnings;
};

#define START_REDIS(server, ...)                                                                   \
  std::optional<RedisServer> server =                                                              \
      RedisServer::start(directory.path("") __VA_OPT__(, ) __VA_ARGS__);                           \
  if (!server)                                                                                     \
  GTEST_SKIP() << "there is no redis-server on this machine (scripts/setup --test installs it)"

TEST_F(RemoteCacheTest, KeepsAnyBytesOnARealServer) {
  START_REDIS(server);
  auto store = open(server->url());
  EXPECT_FALSE(store->get("a"));
  Bytes all(256);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<uint8_t>(i);
  Bytes large(900'000, 7);
  store->put("a", all);
  store->put("empty", Bytes{});
  store->put("large", large);
  store->put("a name\r\nwith ends", Bytes{1});
  EXPECT_EQ(store->get("a"), all);
  EXPECT_EQ(store->get("empty"), Bytes{});
  EXPECT_EQ(store->get("large"), large);
  EXPECT_EQ(open(server->url())->get("a name\r\nwith ends"), Bytes{1});
  EXPECT_FALSE(store->get("a name"));
}

TEST_F(RemoteCacheTest, ManyThreadsShareAConnection) {
  START_REDIS(server);
  RemoteCache shared = cache(server->url());
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        std::string name = std::to_string(thread) + '-' + std::to_string(i);
        shared.store(name, bytesOf("of " + name));
        EXPECT_EQ(shared.find(name), bytesOf("of " + name));
      }
    });
  threads.clear();
  EXPECT_EQ(warnings, "");
}

TEST_F(RemoteCacheTest, OfMachinesThatChangeOneEntryAtOnceNoneLosesAnything) {
  START_REDIS(server);
  constexpr int machines = 6, times = 20;
  std::vector<std::jthread> threads;
  for (int machine = 0; machine < machines; ++machine)
    threads.emplace_back([&] {
      RemoteCache own = cache(server->url()); // with a connection of its own
      for (int i = 0; i < times; ++i)
        own.update("list", [](const std::optional<Bytes> &there) {
          Bytes longer = there.value_or(Bytes());
          longer.push_back('x');
          return longer;
        });
    });
  threads.clear();
  EXPECT_EQ(warnings, "");
  EXPECT_EQ(cache(server->url()).find("list").value().size(), size_t(machines) * times);
}

TEST_F(RemoteCacheTest, AnEntryThatSomebodyElseHasChangedIsChangedAnew) {
  START_REDIS(server);
  RemoteCache ours = cache(server->url()), theirs = cache(server->url());
  int asked = 0;
  auto add = [&](const std::optional<Bytes> &there) {
    if (++asked == 1)
      theirs.store("a", Bytes{1}); // between reading and writing
    Bytes longer = there.value_or(Bytes());
    longer.push_back(2);
    return longer;
  };
  ours.update("a", add);
  EXPECT_EQ(ours.find("a"), (Bytes{1, 2}));
  EXPECT_EQ(asked, 2);
  // What is not to be believed counts as nothing, and goes.
  open(server->url())->put("nereid:a", Bytes{7, 7});
  ours.update("a", add);
  EXPECT_EQ(ours.find("a"), Bytes{2});
}

TEST_F(RemoteCacheTest, AServerThatNeverTakesAChangeIsLeftAlone) {
  LyingServer server([](int connection) {
    char request[4096];
    do { // there is nothing, and then there is something else
      LyingServer::write(connection, "$-1\r\n");
      if (recv(connection, request, sizeof(request), 0) <= 0)
        return;
      LyingServer::write(connection, ":0\r\n");
    } while (recv(connection, request, sizeof(request), 0) > 0);
  });
  auto warn = [this](const std::string &text) { warnings += text + '\n'; };
  RemoteCache eager(open(server.url()),
                    {.secret = {}, .mostUpdating = shortPatience, .warn = warn});
  int asked = 0;
  auto start = std::chrono::steady_clock::now();
  eager.update("a",
               [&](const std::optional<Bytes> &) { return Bytes{static_cast<uint8_t>(++asked)}; });
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20 * shortPatience);
  EXPECT_GT(asked, 1);
  EXPECT_NE(warnings.find("has a changed by others all the time"), std::string::npos) << warnings;
}

TEST_F(RemoteCacheTest, OfSeveralWhoClaimANameOneHasIt) {
  START_REDIS(server);
  RemoteCache first = cache(server->url()), second = cache(server->url());
  EXPECT_TRUE(first.claim("turn", "a", 1h));
  EXPECT_FALSE(second.claim("turn", "b", 1h));
  EXPECT_TRUE(second.claim("another", "b", 1h));
  second.release("turn", "b"); // is not its own
  EXPECT_FALSE(second.claim("turn", "b", 1h));
  first.release("turn", "a");
  EXPECT_TRUE(second.claim("turn", "b", 50ms));
  std::this_thread::sleep_for(200ms);
  EXPECT_TRUE(first.claim("turn", "a", 1h)); // of who died, say
  EXPECT_EQ(warnings, "");
  server.reset();
  EXPECT_TRUE(second.claim("turn", "b", 1h)); // nobody can have it
  EXPECT_NE(warnings, "");
}

TEST_F(RemoteCacheTest, AClaimEndsByItselfOnAServerThatRunsNoScripts) {
  START_REDIS(server, {"--rename-command", "EVAL", ""});
  RemoteCache plain = cache(server->url());
  EXPECT_TRUE(plain.claim("turn", "a", 300ms));
  plain.release("turn", "a");
  EXPECT_FALSE(plain.claim("turn", "b", 1h));
  std::this_thread::sleep_for(400ms);
  EXPECT_TRUE(plain.claim("turn", "b", 1h));
  EXPECT_EQ(warnings, "");
}

TEST_F(RemoteCacheTest, AServerThatRunsNoScriptsIsWrittenTo) {
  START_REDIS(server, {"--rename-command", "EVAL", ""});
  RemoteCache plain = cache(server->url());
  plain.update("a", [](const std::optional<Bytes> &) { return Bytes{3}; });
  EXPECT_EQ(plain.find("a"), Bytes{3});
  EXPECT_EQ(warnings, "");
}

TEST_F(RemoteCacheTest, ProgramsThatAreStartedDoNotInheritTheConnection) {
  START_REDIS(server);
  auto openToOthers = [] {
    std::set<std::string> files;
    for (const auto &file : std::filesystem::directory_iterator("/proc/self/fd"))
      if (int flags = fcntl(std::stoi(file.path().filename()), F_GETFD);
          flags >= 0 && !(flags & FD_CLOEXEC))
        files.insert(file.path().filename());
    return files;
  };
  auto before = openToOthers();
  auto store = open(server->url());
  EXPECT_FALSE(store->get("a"));
  EXPECT_EQ(openToOthers(), before);
}

TEST_F(RemoteCacheTest, PasswordsAndDatabases) {
  START_REDIS(server, {"--requirepass", "open sesame"});
  RemoteCache without = cache(server->url());
  EXPECT_FALSE(without.find("a"));
  EXPECT_NE(warnings.find("refuses: NOAUTH"), std::string::npos) << warnings;
  runtime::RedisAddress address = runtime::parseRedisAddress(server->url());
  address.password = "open sesame";
  address.database = 3;
  auto store = runtime::openRedisStore(address, patience);
  store->put("a", Bytes{1});
  address.database = 4;
  EXPECT_FALSE(runtime::openRedisStore(address, patience)->get("a"));
  address.database = 3;
  EXPECT_EQ(runtime::openRedisStore(address, patience)->get("a"), Bytes{1});
}

TEST_F(RemoteCacheTest, BelievesNothingThatIsNotWhatWasStored) {
  START_REDIS(server);
  auto store = open(server->url());
  for (const std::string &secret : {std::string(), std::string("s")}) {
    RemoteCache good = cache(server->url(), secret);
    Bytes content = bytesOf("machine code");
    good.store("k.nrd", content);
    EXPECT_EQ(good.find("k.nrd"), content);
    Bytes wrapped = store->get("nereid:k.nrd").value();
    store->put("nereid:other.nrd", wrapped);
    EXPECT_FALSE(good.find("other.nrd"));
    EXPECT_NE(warnings.find("for another name"), std::string::npos) << warnings;
    for (size_t i = 0; i < wrapped.size(); ++i) { // each byte, and each length, counts
      Bytes changed = wrapped;
      changed[i] ^= 1 << (i % 8);
      store->put("nereid:k.nrd", changed);
      EXPECT_FALSE(good.find("k.nrd")) << i;
      store->put("nereid:k.nrd", std::span(wrapped).first(i));
      EXPECT_FALSE(good.find("k.nrd")) << i;
    }
    wrapped.push_back(0);
    store->put("nereid:k.nrd", wrapped);
    EXPECT_FALSE(good.find("k.nrd"));
    // It is no reason to leave the server alone.
    good.store("k.nrd", content);
    EXPECT_EQ(good.find("k.nrd"), content);
  }
  // With a secret, what others wrote is nothing.
  cache(server->url(), "theirs").store("k.nrd", Bytes{1});
  warnings.clear();
  EXPECT_FALSE(cache(server->url(), "ours").find("k.nrd"));
  EXPECT_NE(warnings.find("without the secret"), std::string::npos) << warnings;
  EXPECT_FALSE(cache(server->url()).find("k.nrd"));
  cache(server->url()).store("k.nrd", Bytes{1});
  EXPECT_FALSE(cache(server->url(), "ours").find("k.nrd"));
}

TEST_F(RemoteCacheTest, AServerThatIsNotThereCostsOneWarning) {
  START_REDIS(server);
  RemoteCache resting = cache(server->url());
  resting.store("a", Bytes{1});
  server->stop();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(resting.find("a"));
    resting.store("a", Bytes{1});
  }
  EXPECT_EQ(std::count(warnings.begin(), warnings.end(), '\n'), 1) << warnings;
  // Without a rest it is asked again, and used when it is back.
  RemoteCache eager = cache(server->url(), "", patience, 0ms);
  EXPECT_FALSE(eager.find("a"));
  std::optional<RedisServer> again = RedisServer::start(directory.path(""));
  eager.store("a", Bytes{2});
  EXPECT_EQ(eager.find("a"), Bytes{2});
  again->stop();
  EXPECT_FALSE(eager.find("a"));
}

TEST_F(RemoteCacheTest, ASlowServerIsWaitedForOnce) {
  START_REDIS(server);
  RemoteCache slow = cache(server->url(), "", shortPatience);
  slow.store("a", Bytes{1});
  ASSERT_EQ(warnings, "");
  server->pause();
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i)
    EXPECT_FALSE(slow.find("a"));
  auto elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_GE(elapsed, shortPatience - 10ms);
  EXPECT_LT(elapsed, 20 * shortPatience); // not a hundred times
  EXPECT_NE(warnings.find("does not answer within 300 ms"), std::string::npos) << warnings;
  EXPECT_EQ(std::count(warnings.begin(), warnings.end(), '\n'), 1) << warnings;
  server->resume();
}

TEST_F(RemoteCacheTest, LateAnswersAreNoAnswersToWhatIsAskedNext) {
  START_REDIS(server);
  auto store = open(server->url(), shortPatience);
  open(server->url())->put("a", bytesOf("a's"));
  open(server->url())->put("b", bytesOf("b's"));
  EXPECT_EQ(store->get("a"), bytesOf("a's"));
  server->pause();
  EXPECT_THROW(store->get("a"), RemoteError);
  server->resume();
  store = open(server->url());
  EXPECT_EQ(store->get("b"), bytesOf("b's"));
}

TEST_F(RemoteCacheTest, ServersThatTalkNonsense) {
  const std::pair<std::string, const char *> answers[] = {
      {"", "hangs up"},
      {"HTTP/1.1 400 Bad Request\r\n\r\n", "no Redis answers"},
      {"+OK\r\n", "no Redis answers"}, // to a question
      {":12\r\n", "no Redis answers"},
      {"*1\r\n$1\r\na\r\n", "no Redis answers"},
      {"$5\r\nab", "hangs up"},
      {"$-7\r\n", "no Redis answers"},
      {"$99999999999999999999\r\n", "no Redis answers"},
      {"*2147483647\r\n*2147483647\r\n", "no Redis answers"},
      {"-ERR no memory\r\n", "refuses: ERR no memory"},
      {std::string(4096, '\0'), "no Redis answers"},
  };
  for (const auto &[answer, wanted] : answers) {
    LyingServer server(
        [&, text = answer](int connection) { LyingServer::write(connection, text); });
    std::string message = messageOf([&] { open(server.url())->get("a"); });
    EXPECT_NE(message.find(wanted), std::string::npos) << message << " for " << answer;
  }
  LyingServer server([](int connection) {
    LyingServer::write(connection, "$1\r\na\r\n*2147483647\r\n");
    std::this_thread::sleep_for(shortPatience);
  });
  auto store = open(server.url());
  EXPECT_EQ(store->get("a"), Bytes{'a'});
  EXPECT_NE(messageOf([&] { store->get("a"); }).find("answers what n"), std::string::npos);
  std::mt19937 random(20261122);
  for (int round = 0; round < 100; ++round) {
    std::string noise(1 + random() % 300, '\0');
    for (char &c : noise)
      c = random() % 3 ? "*$:+-\r\n0129ab"[random() % 13] : static_cast<char>(random());
    LyingServer server([&](int connection) { LyingServer::write(connection, noise); });
    RemoteCache cache(open(server.url()), {});
    EXPECT_FALSE(cache.find("a"));
    cache.store("a", Bytes{1});
  }
}

TEST_F(RemoteCacheTest, ServersThatNeverStop) {
  {
    LyingServer server([](int connection) { // more than a client has room for
      LyingServer::write(connection, "$1000000000\r\n");
      while (LyingServer::write(connection, std::string(1 << 16, 'x')))
        ;
    });
    EXPECT_NE(
        messageOf([&] { open(server.url())->get("a"); }).find("sends more than 1048576 bytes"),
        std::string::npos);
  }
  LyingServer server([](int connection) { // a byte now and then
    LyingServer::write(connection, "$1000\r\n");
    while (LyingServer::write(connection, "x"))
      std::this_thread::sleep_for(20ms);
  });
  auto start = std::chrono::steady_clock::now();
  EXPECT_NE(messageOf([&] { open(server.url(), shortPatience)->get("a"); }).find("within 300 ms"),
            std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20 * shortPatience);
}

TEST(RedisAddress, IsReadFromText) {
  runtime::RedisAddress address =
      runtime::parseRedisAddress("redis://me:p@ss:word@cache.example:6380/7");
  EXPECT_EQ(address.host, "cache.example");
  EXPECT_EQ(address.port, 6380);
  EXPECT_EQ(address.user, "me");
  EXPECT_EQ(address.password, "p@ss:word");
  EXPECT_EQ(address.database, 7);
  address = runtime::parseRedisAddress("redis://:secret@[::1]/");
  EXPECT_EQ(address.host, "::1");
  EXPECT_EQ(address.port, 6379);
  EXPECT_EQ(address.user, "");
  EXPECT_EQ(address.password, "secret");
  EXPECT_EQ(runtime::parseRedisAddress("unix:///run/redis.sock").socket, "/run/redis.sock");
  for (const char *wrong :
       {"", "redis://", "http://a", "redis://a:b", "redis://a:99999", "redis://a/b",
        "redis://:6379", "unix://relative", "redis://[::1", "redis://a:-1"})
    EXPECT_NE(messageOf([&] { runtime::parseRedisAddress(wrong); }).find("accepted are redis://"),
              std::string::npos)
        << wrong;
  // A password is told to nobody.
  EXPECT_EQ(messageOf([] { runtime::parseRedisAddress("redis://:secret@a:b"); }).find("secret"),
            std::string::npos);
}

} // namespace
} // namespace nereid::test
