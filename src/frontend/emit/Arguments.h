// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of one call of a built-in, bound to its parameters, and how built-ins read them.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit {

class Arguments {
public:
  Arguments(Emitter &emitter, const sema::Builtin &builtin,
            std::vector<Emitter::CallArgument> given, SourceRange callRange);

  const Value &operator[](std::string_view name) const { return bound(name).value; }
  /// Where the argument was written; the whole call if it was left to its default.
  SourceRange range(std::string_view name) const { return bound(name).range; }
  SourceRange callRange() const { return callRange_; }
  std::string_view function() const { return builtin.name; }
  /// What the author calls the argument, and the function that it was written for: library code
  /// hands arguments on under names of its own.
  std::string_view labelOf(std::string_view name) const;
  std::string_view functionOf(std::string_view name) const;

  bool isNone(std::string_view name) const { return (*this)[name].isNone(); }
  /// A scalar or tile; numbers become scalars.
  Tensor tensor(std::string_view name) const;
  Tensor tile(std::string_view name) const;
  sema::ConstantValue constant(std::string_view name) const;
  sema::Integer integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  /// A constexpr string, None counting as empty.
  std::string text(std::string_view name) const;
  /// A constexpr string that chooses among some; False and 0 say nothing, as None does:
  /// configurations of tuners switch choices off so, and upstream asks no more than whether there
  /// is one.
  std::string choice(std::string_view name) const;
  sema::ScalarType dtype(std::string_view name) const;
  /// A tuple of constexpr integers; one integer counts as a tuple of one, and a tuple of one tuple
  /// as that one (f(x, 2, 3) and f(x, (2, 3))).
  std::vector<sema::Integer> integers(std::string_view name) const;
  sema::Shape shape(std::string_view name) const;
  std::vector<Value> elements(std::string_view name) const;

  [[noreturn]] void failType(std::string_view name, std::string_view expected) const;
  [[noreturn]] void failValue(std::string_view name, std::string_view expected) const;

private:
  struct Bound {
    std::string name;
    Value value;
    SourceRange range;
    bool isGiven = false;
    std::string origin = {};
  };
  const Bound &bound(std::string_view name) const;
  void bind(std::vector<Emitter::CallArgument> &given);
  void bindPositional(std::vector<Emitter::CallArgument> &given);
  void bindDefaults();
  sema::Integer integerOf(const Value &value, std::string_view name) const;
  [[noreturn]] void failNotConstant(const Value &value, std::string_view name) const;

  Emitter &emitter;
  const sema::Builtin &builtin;
  SourceRange callRange_;
  std::vector<Bound> values;
};

#define BUILTIN(name, place, signature, meaning)                                                   \
  Value name##Builtin(Emitter &emitter, const Arguments &arguments);
#include "frontend/sema/builtins.def"
#define THREADS(id, module, name, signature, meaning)                                              \
  Value id##Builtin(Emitter &emitter, const Arguments &arguments);
#include "frontend/sema/threads.def"

} // namespace nereid::emit
