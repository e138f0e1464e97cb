// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/RemoteStore.h"

#include <chrono>
#include <memory>
#include <string>

namespace nereid::runtime {

/// Where a Redis server is.
struct RedisAddress {
  std::string host; // empty: `socket` is the path of a Unix socket
  int port = 6379;
  std::string socket, user, password;
  int database = 0;
};

/// Reads redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE] and unix:///PATH. Throws RemoteError that
/// says what is accepted.
RedisAddress parseRedisAddress(const std::string &url);

/// Connects when first asked, and again after a failure. Nothing that the server sends, or does not
/// send, lets a call take longer than `patience`, but for a name that must be looked up, or more
/// than `mostBytes` of memory.
std::unique_ptr<RemoteStore> openRedisStore(const RedisAddress &address,
                                            std::chrono::milliseconds patience,
                                            size_t mostBytes = size_t(64) << 20);

} // namespace nereid::runtime
