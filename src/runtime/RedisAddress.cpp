// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/RedisStore.h"

#include <charconv>

namespace nereid::runtime {
namespace {

[[noreturn]] void fail(const std::string &url) {
  throw RemoteError("'" + url.substr(0, url.find(':')) +
                    ":...' is no address; accepted are redis://[:PASSWORD@]HOST[:PORT][/DATABASE] "
                    "and unix:///PATH");
}

int toNumber(const std::string &text, int most, const std::string &url) {
  int number = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > most)
    fail(url);
  return number;
}

/// Takes what stands before `mark` out of the text; nothing if there is none.
std::string takeUntil(std::string &text, char mark, bool last = false) {
  size_t place = last ? text.rfind(mark) : text.find(mark);
  if (place == std::string::npos)
    return {};
  std::string before = text.substr(0, place);
  text.erase(0, place + 1);
  return before;
}

} // namespace

RedisAddress parseRedisAddress(const std::string &url) {
  constexpr std::string_view unixScheme = "unix://", redisScheme = "redis://";
  RedisAddress address;
  if (url.starts_with(unixScheme)) {
    address.socket = url.substr(unixScheme.size());
    if (!address.socket.starts_with('/'))
      fail(url);
    return address;
  }
  if (!url.starts_with(redisScheme))
    fail(url);
  std::string rest = url.substr(redisScheme.size());
  if (std::string who = takeUntil(rest, '@', /*last=*/true); !who.empty()) {
    address.user = takeUntil(who, ':');
    address.password = who;
  }
  if (size_t slash = rest.find('/'); slash != std::string::npos) {
    if (slash + 1 < rest.size())
      address.database = toNumber(rest.substr(slash + 1), 1 << 20, url);
    rest.resize(slash);
  }
  // An IPv6 address stands in brackets, and has colons.
  size_t end = rest.starts_with('[') ? rest.find(']') : 0;
  if (end == std::string::npos)
    fail(url);
  if (size_t colon = rest.find(':', end); colon != std::string::npos) {
    address.port = toNumber(rest.substr(colon + 1), 65535, url);
    rest.resize(colon);
  }
  address.host = rest.starts_with('[') ? rest.substr(1, end - 1) : rest;
  if (address.host.empty())
    fail(url);
  return address;
}

} // namespace nereid::runtime
