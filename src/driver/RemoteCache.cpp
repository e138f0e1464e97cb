// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/RemoteCache.h"

#include "nereid/error.h"
#include "runtime/RedisStore.h"
#include "support/EnvironmentVariables.h"

#include "llvm-c/blake3.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace nereid::driver {
namespace {

constexpr std::string_view magic = "nereid entry 1\n"; // another format has another number
using Digest = std::array<uint8_t, LLVM_BLAKE3_OUT_LEN>;

/// Of lengths and contents, so that parts cannot run together.
Digest digestOf(std::string_view name, std::span<const uint8_t> bytes, const std::string &secret) {
  llvm_blake3_hasher hasher;
  if (secret.empty()) {
    llvm_blake3_hasher_init(&hasher);
  } else {
    llvm_blake3_hasher_init_derive_key(&hasher, "nereid 2026 remote cache entries");
    llvm_blake3_hasher_update(&hasher, secret.data(), secret.size());
    Digest key;
    llvm_blake3_hasher_finalize(&hasher, key.data(), key.size());
    llvm_blake3_hasher_init_keyed(&hasher, key.data());
  }
  std::string lengths = std::to_string(name.size()) + ':' + std::to_string(bytes.size()) + ':';
  for (std::string_view part : {magic, std::string_view(lengths), name})
    llvm_blake3_hasher_update(&hasher, part.data(), part.size());
  llvm_blake3_hasher_update(&hasher, bytes.data(), bytes.size());
  Digest digest;
  llvm_blake3_hasher_finalize(&hasher, digest.data(), digest.size());
  return digest;
}

/// Takes as long for digests that differ late as for those that differ early.
bool areEqual(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference |= a[i] ^ b[i];
  return difference == 0;
}

std::chrono::milliseconds patience() {
  const uint64_t milliseconds = readNumber(KnownVariable::NEREID_REMOTE_TIMEOUT);
  return std::chrono::milliseconds(std::clamp<uint64_t>(milliseconds, 1, 60000));
}

void warnOnStandardError(const std::string &text) {
  std::fprintf(stderr, "warning: remote cache: %s\n", printable(text).c_str());
}

std::shared_ptr<RemoteCache> openFromEnvironment() {
  const char *url = readFilledVariable(KnownVariable::NEREID_REMOTE_CACHE);
  if (!url)
    return nullptr;
  try {
    const char *secret = readFilledVariable(KnownVariable::NEREID_REMOTE_SECRET);
    return std::make_shared<RemoteCache>(
        runtime::openRedisStore(runtime::parseRedisAddress(url), patience()),
        RemoteCache::Options{.secret = secret ? secret : "", .warn = warnOnStandardError});
  } catch (const runtime::RemoteError &error) {
    warnOnStandardError(std::string("NEREID_REMOTE_CACHE: ") + error.what());
    return nullptr;
  }
}

} // namespace

std::vector<uint8_t> wrapEntry(const std::string &name, std::span<const uint8_t> bytes,
                               const std::string &secret) {
  Digest digest = digestOf(name, bytes, secret);
  std::string head = std::string(magic) + name + '\n';
  std::vector<uint8_t> wrapped(head.begin(), head.end());
  wrapped.insert(wrapped.end(), digest.begin(), digest.end());
  wrapped.insert(wrapped.end(), bytes.begin(), bytes.end());
  return wrapped;
}

std::vector<uint8_t> unwrapEntry(const std::string &name, std::span<const uint8_t> wrapped,
                                 const std::string &secret) {
  auto startsWith = [&](std::string_view text) {
    bool does =
        wrapped.size() >= text.size() && std::memcmp(wrapped.data(), text.data(), text.size()) == 0;
    if (does)
      wrapped = wrapped.subspan(text.size());
    return does;
  };
  if (!startsWith(magic))
    throw runtime::RemoteError("an entry is of another format");
  if (!startsWith(name + '\n'))
    throw runtime::RemoteError("an entry is for another name than it was asked for by");
  constexpr size_t digestBytes = std::tuple_size_v<Digest>;
  if (wrapped.size() < digestBytes)
    throw runtime::RemoteError("an entry is truncated");
  std::span<const uint8_t> bytes = wrapped.subspan(digestBytes);
  if (!areEqual(digestOf(name, bytes, secret), wrapped.first(digestBytes)))
    throw runtime::RemoteError(secret.empty()
                                   ? "an entry is damaged, or was made with a secret"
                                   : "an entry is damaged, or was made without the secret");
  return {bytes.begin(), bytes.end()};
}

std::shared_ptr<RemoteCache> RemoteCache::ofProcess() {
  static const std::shared_ptr<RemoteCache> cache = openFromEnvironment();
  return cache;
}

void RemoteCache::warnOnce(const std::string &text) {
  std::lock_guard lock(mutex);
  if (warnings.insert(text).second && options.warn)
    options.warn(text);
}

template <typename F> void RemoteCache::attempt(F &&act) {
  {
    std::lock_guard lock(mutex);
    if (std::chrono::steady_clock::now() < restsUntil)
      return;
  }
  try {
    act();
  } catch (const runtime::RemoteError &error) {
    warnOnce(std::string(error.what()) + "; going on without it");
    std::lock_guard lock(mutex);
    restsUntil = std::chrono::steady_clock::now() + options.rest;
  }
}

std::optional<std::vector<uint8_t>> RemoteCache::find(const std::string &name) {
  std::optional<std::vector<uint8_t>> wrapped;
  attempt([&] { wrapped = store_->get("nereid:" + name); });
  return believed(name, wrapped);
}

std::optional<std::vector<uint8_t>>
RemoteCache::believed(const std::string &name, const std::optional<std::vector<uint8_t>> &wrapped) {
  if (!wrapped)
    return std::nullopt;
  try {
    return unwrapEntry(name, *wrapped, options.secret);
  } catch (const runtime::RemoteError &error) {
    warnOnce(store_->name() + ": " + error.what() + ": not used");
    return std::nullopt;
  }
}

void RemoteCache::update(const std::string &name, const Change &change) {
  std::string there = "nereid:" + name;
  attempt([&] {
    auto deadline = std::chrono::steady_clock::now() + options.mostUpdating;
    do { // each time that one fails, another one has changed it, or the server lies
      std::optional<std::vector<uint8_t>> wrapped = store_->get(there);
      std::vector<uint8_t> changed = change(believed(name, wrapped));
      if (store_->replace(there, wrapped, wrapEntry(name, changed, options.secret)))
        return;
    } while (std::chrono::steady_clock::now() < deadline);
    throw runtime::RemoteError(store_->name() + " has " + name + " changed by others all the time");
  });
}

bool RemoteCache::claim(const std::string &name, const std::string &owner,
                        std::chrono::milliseconds most) {
  bool isOurs = true;
  attempt([&] { isOurs = store_->claim("nereid:" + name, owner, most); });
  return isOurs;
}

void RemoteCache::release(const std::string &name, const std::string &owner) {
  attempt([&] { store_->release("nereid:" + name, owner); });
}

void RemoteCache::store(const std::string &name, std::span<const uint8_t> bytes) {
  attempt([&] { store_->put("nereid:" + name, wrapEntry(name, bytes, options.secret)); });
}

} // namespace nereid::driver
