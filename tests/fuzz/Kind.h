// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a fuzzer of one boundary is: it makes inputs, most of them nearly right, and says what must
// hold of each.
#pragma once

#include "Random.h"
#include "nereid/error.h"

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace nereid::fuzz {

enum class Outcome { Accepted, Refused };

/// What should not have happened.
class Fault : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

inline void require(bool condition, const std::string &message) {
  if (!condition)
    throw Fault(message);
}

class Kind {
public:
  virtual ~Kind() = default;
  /// An input as bytes, of at most `mostBytes`: what a reproducer holds.
  virtual std::string make(Random &random) = 0;
  /// Tries an input, whatever it is. What it throws is a fault.
  virtual Outcome attempt(const std::string &input) = 0;

  static constexpr size_t mostBytes = size_t(1) << 20;
};

struct KindRow {
  const char *name, *meaning;
  std::unique_ptr<Kind> (*make)();
};

/// What is refused is told in a text that terminals can show, and is nobody's bug.
inline void requireRefusal(const Error &error) {
  require(error.kind() != Error::Kind::Internal, error.what());
  require(*error.what() != 0, "an error without a message");
  require(printable(error.what()) == error.what(), "an error's message holds control characters");
}

/// Runs `act`; an Error that is none of ours, and no memory, are a refusal.
template <typename F> Outcome unlessRefused(F &&act) {
  try {
    std::forward<F>(act)();
    return Outcome::Accepted;
  } catch (const Error &error) {
    requireRefusal(error);
  } catch (const std::bad_alloc &) {
    // The driver's limit on memory is not the library's to know.
  }
  return Outcome::Refused;
}

} // namespace nereid::fuzz
