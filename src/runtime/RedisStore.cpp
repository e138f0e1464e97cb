// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hiredis connects, writes requests down and reads answers; bytes are moved here, since its own
// calls wait for each packet anew, so that a server that sends a byte now and then could hold them
// for ever, and write to closed sockets with a signal.
#include "runtime/RedisStore.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace nereid::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Puts ARGV[3] if what is there is ARGV[2], or nothing where ARGV[1] is "none".
constexpr std::string_view replaceScript = "local there = redis.call('GET', KEYS[1])\n"
                                           "if ARGV[1] == 'none' then\n"
                                           "  if there then return 0 end\n"
                                           "elseif there ~= ARGV[2] then\n"
                                           "  return 0\n"
                                           "end\n"
                                           "redis.call('SET', KEYS[1], ARGV[3])\n"
                                           "return 1\n";

/// Takes away what is there if it is ARGV[1].
constexpr std::string_view releaseScript = "if redis.call('GET', KEYS[1]) == ARGV[1] then\n"
                                           "  return redis.call('DEL', KEYS[1])\n"
                                           "end\n"
                                           "return 0\n";

std::string_view textOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

struct FreeContext {
  void operator()(redisContext *context) const { redisFree(context); }
};
struct FreeReply {
  void operator()(redisReply *reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

std::string describe(const RedisAddress &address) {
  if (address.host.empty())
    return "unix://" + address.socket;
  return "redis://" + address.host + ':' + std::to_string(address.port) + '/' +
         std::to_string(address.database);
}

class RedisStore final : public RemoteStore {
public:
  RedisStore(RedisAddress address, std::chrono::milliseconds patience, size_t mostBytes)
      : address(std::move(address)), patience(patience), mostBytes(mostBytes),
        name_(describe(this->address)) {}

  const std::string &name() const override { return name_; }

  std::optional<std::vector<uint8_t>> get(const std::string &name) override {
    Reply reply = ask({"GET", name});
    if (reply->type == REDIS_REPLY_NIL)
      return std::nullopt;
    if (reply->type != REDIS_REPLY_STRING)
      fail("answers what no Redis answers");
    return std::vector<uint8_t>(reply->str, reply->str + reply->len);
  }
  void put(const std::string &name, std::span<const uint8_t> bytes) override {
    Reply reply = ask({"SET", name, textOf(bytes)});
    if (reply->type != REDIS_REPLY_STATUS)
      fail("answers what no Redis answers");
  }
  bool replace(const std::string &name, const std::optional<std::vector<uint8_t>> &given,
               std::span<const uint8_t> bytes) override {
    try {
      std::string_view wanted = given ? textOf(*given) : std::string_view();
      Reply reply =
          ask({"EVAL", replaceScript, "1", name, given ? "some" : "none", wanted, textOf(bytes)});
      if (reply->type != REDIS_REPLY_INTEGER)
        fail("answers what no Redis answers");
      return reply->integer != 0;
    } catch (const RemoteRefusal &) { // it runs no scripts, or there is more that is wrong
      put(name, bytes);
      return true;
    }
  }

  bool claim(const std::string &name, const std::string &owner,
             std::chrono::milliseconds most) override {
    std::string milliseconds = std::to_string(std::max<int64_t>(most.count(), 1));
    Reply reply = ask({"SET", name, owner, "NX", "PX", milliseconds});
    if (reply->type != REDIS_REPLY_STATUS && reply->type != REDIS_REPLY_NIL)
      fail("answers what no Redis answers");
    return reply->type == REDIS_REPLY_STATUS;
  }
  void release(const std::string &name, const std::string &owner) override {
    try {
      ask({"EVAL", releaseScript, "1", name, owner});
    } catch (const RemoteRefusal &) { // it runs no scripts
    }
  }

private:
  using Request = std::vector<std::string_view>;

  /// Sends a request and gives the answer, which is no error.
  Reply ask(const Request &request) {
    std::lock_guard lock(mutex);
    deadline = Clock::now() + patience;
    try {
      if (!context || owner != getpid()) // a child must not talk on its parent's connection
        connect();
      return roundTrip(request);
    } catch (const RemoteError &) {
      context.reset(); // an answer that comes too late would be taken for the next one
      throw;
    }
  }

  void connect() {
    context.reset();
    auto milliseconds = std::max<int64_t>(left(), 1);
    timeval time{milliseconds / 1000, milliseconds % 1000 * 1000};
    context.reset(address.host.empty()
                      ? redisConnectUnixWithTimeout(address.socket.c_str(), time)
                      : redisConnectWithTimeout(address.host.c_str(), address.port, time));
    if (!context)
      throw std::bad_alloc();
    if (context->err)
      fail(std::string("cannot be reached: ") + context->errstr);
    fcntl(context->fd, F_SETFD, FD_CLOEXEC); // programs that this one starts have no use for it
    owner = getpid();
    if (!address.password.empty())
      roundTrip(address.user.empty() ? Request{"AUTH", address.password}
                                     : Request{"AUTH", address.user, address.password});
    if (address.database)
      roundTrip({"SELECT", std::to_string(address.database)});
  }

  Reply roundTrip(const Request &request) {
    if (context->reader->pos != context->reader->len)
      fail("answers what nobody asked");
    std::vector<const char *> parts;
    std::vector<size_t> lengths;
    for (std::string_view part : request) {
      parts.push_back(part.data());
      lengths.push_back(part.size());
    }
    char *text = nullptr;
    int length =
        redisFormatCommandArgv(&text, static_cast<int>(parts.size()), parts.data(), lengths.data());
    if (length < 0)
      throw std::bad_alloc();
    std::unique_ptr<char, void (*)(void *)> owned(text, redisFreeCommand_);
    send({text, static_cast<size_t>(length)});
    return receive();
  }
  static void redisFreeCommand_(void *text) { redisFreeCommand(static_cast<char *>(text)); }

  void send(std::string_view text) {
    while (!text.empty()) {
      wait(POLLOUT);
      ssize_t count = ::send(context->fd, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && errno != EAGAIN && errno != EINTR)
        fail(std::string("cannot be written to: ") + std::strerror(errno));
      text.remove_prefix(static_cast<size_t>(std::max<ssize_t>(count, 0)));
    }
  }

  Reply receive() {
    for (size_t total = 0;;) {
      void *reply = nullptr;
      if (redisReaderGetReply(context->reader, &reply) != REDIS_OK)
        fail("answers what no Redis answers");
      if (reply)
        return checked(Reply(static_cast<redisReply *>(reply)));
      char buffer[1 << 16];
      wait(POLLIN);
      ssize_t count = ::recv(context->fd, buffer, sizeof(buffer), MSG_DONTWAIT);
      if (count == 0)
        fail("hangs up");
      if (count < 0 && errno != EAGAIN && errno != EINTR)
        fail(std::string("cannot be read from: ") + std::strerror(errno));
      if (count <= 0)
        continue;
      // Nothing that we ask is answered by an array, for which hiredis would make all the room that
      // it claims to need.
      if (total == 0 && buffer[0] == '*')
        fail("answers what no Redis answers");
      if ((total += static_cast<size_t>(count)) > mostBytes)
        fail("sends more than " + std::to_string(mostBytes) + " bytes");
      if (redisReaderFeed(context->reader, buffer, static_cast<size_t>(count)) != REDIS_OK)
        fail("answers what no Redis answers");
    }
  }

  Reply checked(Reply reply) const {
    if (reply->type == REDIS_REPLY_ERROR)
      throw RemoteRefusal(name_ + " refuses: " + std::string(reply->str, reply->len));
    return reply;
  }

  /// In milliseconds.
  int64_t left() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  }
  void wait(short events) const {
    pollfd file{context->fd, events, 0};
    int64_t milliseconds = left();
    int ready = milliseconds > 0 ? poll(&file, 1, static_cast<int>(milliseconds)) : 0;
    if (ready == 0)
      fail("does not answer within " + std::to_string(patience.count()) + " ms");
    if (ready < 0 && errno != EINTR)
      fail(std::string("cannot be waited for: ") + std::strerror(errno));
  }
  [[noreturn]] void fail(const std::string &reason) const {
    throw RemoteError(name_ + ' ' + reason);
  }

  RedisAddress address;
  std::chrono::milliseconds patience;
  size_t mostBytes;
  std::string name_;
  std::mutex mutex;
  std::unique_ptr<redisContext, FreeContext> context;
  pid_t owner = 0;
  Clock::time_point deadline;
};

} // namespace

std::unique_ptr<RemoteStore> openRedisStore(const RedisAddress &address,
                                            std::chrono::milliseconds patience, size_t mostBytes) {
  return std::make_unique<RedisStore>(address, patience, mostBytes);
}

} // namespace nereid::runtime
