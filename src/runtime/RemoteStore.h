// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries that several machines share. What a server is and whether to believe it:
// driver/RemoteCache.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace nereid::runtime {

/// Why a server gave no answer: "does not answer within 300 ms".
class RemoteError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// It did answer: that it does not do such a thing.
class RemoteRefusal : public RemoteError {
public:
  using RemoteError::RemoteError;
};

/// A server that keeps bytes by name. Any thread may ask; each call ends within the store's time.
class RemoteStore {
public:
  virtual ~RemoteStore() = default;
  /// For messages: "redis://cache:6379/0".
  virtual const std::string &name() const = 0;
  /// Nothing if there is none of that name. All throw RemoteError.
  virtual std::optional<std::vector<uint8_t>> get(const std::string &name) = 0;
  virtual void put(const std::string &name, std::span<const uint8_t> bytes) = 0;
  /// The same if what is there is still what get() gave. False, and nothing is done, if it is not.
  /// A server that cannot look and put at once just puts.
  virtual bool replace(const std::string &name, const std::optional<std::vector<uint8_t>> &given,
                       std::span<const uint8_t> bytes) = 0;
  /// Puts `owner` there for so long if there is nothing; false if there is.
  virtual bool claim(const std::string &name, const std::string &owner,
                     std::chrono::milliseconds most) = 0;
  /// Takes away what claim() put there, if it still is that. A server that cannot look and take
  /// away at once keeps it to its end.
  virtual void release(const std::string &name, const std::string &owner) = 0;
};

} // namespace nereid::runtime
