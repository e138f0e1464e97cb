// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cache that several machines share, behind the one on disk. What comes from there is checked
// before anybody sees it; what goes wrong there costs a warning and nothing else.
#pragma once

#include "runtime/DiskCache.h"
#include "runtime/RemoteStore.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>

namespace nereid::driver {

/// An entry as it is sent: what it is and which name it is for, its bytes, and a BLAKE3 digest of
/// all that, keyed with the secret if there is one. Without a secret the digest finds accidents
/// only.
std::vector<uint8_t> wrapEntry(const std::string &name, std::span<const uint8_t> bytes,
                               const std::string &secret);
/// The bytes of a wrapped entry. Throws RemoteError for one that is truncated, changed, of another
/// format, for another name or made without the secret.
std::vector<uint8_t> unwrapEntry(const std::string &name, std::span<const uint8_t> wrapped,
                                 const std::string &secret);

class RemoteCache final : public runtime::NextCache {
public:
  struct Options {
    std::string secret;
    /// A server that failed is left alone for so long.
    std::chrono::milliseconds rest = std::chrono::minutes(1);
    /// An entry that others change all the time is tried for so long, and then left as it is.
    std::chrono::milliseconds mostUpdating = std::chrono::seconds(5);
    /// Gets each kind of trouble once.
    std::function<void(const std::string &)> warn;
  };
  RemoteCache(std::unique_ptr<runtime::RemoteStore> store, Options options)
      : store_(std::move(store)), options(std::move(options)) {}

  /// The one that the environment names (docs/cache.md), the same for the whole process; null if
  /// there is none.
  static std::shared_ptr<RemoteCache> ofProcess();

  std::optional<std::vector<uint8_t>> find(const std::string &name) override;
  void store(const std::string &name, std::span<const uint8_t> bytes) override;
  /// What is there and not to be believed counts as nothing.
  void update(const std::string &name, const Change &change) override;
  bool claim(const std::string &name, const std::string &owner,
             std::chrono::milliseconds most) override;
  void release(const std::string &name, const std::string &owner) override;

private:
  template <typename F> void attempt(F &&act);
  std::optional<std::vector<uint8_t>> believed(const std::string &name,
                                               const std::optional<std::vector<uint8_t>> &wrapped);
  void warnOnce(const std::string &text);

  std::unique_ptr<runtime::RemoteStore> store_;
  Options options;
  std::mutex mutex;
  std::chrono::steady_clock::time_point restsUntil;
  std::set<std::string> warnings;
};

} // namespace nereid::driver
