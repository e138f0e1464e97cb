// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of built-in functions: what they are called, where, with which parameters. Binding of
// arguments, "did you mean" and the reference page all read it.
#pragma once

#include "nereid/DType.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::sema {

/// Under which names a built-in is found.
enum class BuiltinPlace {
  Language,   // tl.f
  Member,     // tl.f and value.f
  Math,       // tl.f, tl.math.f and value.f
  Method,     // value.f only
  Descriptor, // f of a tensor descriptor only; the row's name starts with "descriptor_"
  Python,     // f: a name that needs no import
  Global,     // f and tl.f
  GlobalMath, // f, tl.f, tl.math.f and value.f
  Host,       // triton.f
  Shared,     // tl.f, value.f and triton.f
  Cuda,       // tl.extra.cuda.f
  Target,     // tl.target_info.f
  Threads,    // of kernels of threads: module.f
};

enum class BuiltinId {
#define BUILTIN(name, place, signature, meaning) name##Builtin,
#include "frontend/sema/builtins.def"
#define THREADS(id, module, name, signature, meaning) id##Builtin,
#include "frontend/sema/threads.def"
};

struct BuiltinParameter {
  std::string name;
  /// The default as written: a number, a string, None, True, False or (); nothing if it must be
  /// given.
  std::optional<std::string> defaultText;
  bool isVariadic = false;
  bool isKeywordOnly = false;
};

struct Builtin {
  std::string_view name;
  BuiltinPlace place;
  std::string_view signature; // empty for functions of the library, whose `def` says it
  std::string_view meaning;
  /// Nothing for a function written in the kernel language (src/library).
  std::optional<BuiltinId> id;
  /// Of kernels of threads: where the function is found, "numba.cuda.atomic".
  std::string_view module = {};

  bool isFunctionOf(std::string_view module) const; // "triton", "triton.language", ".math", ""
  bool isMethod() const;
  /// The signature's parts; parsed once.
  const std::vector<BuiltinParameter> &parameters() const;
};

/// A name that Triton's language has and this one does not.
struct MissingName {
  std::string_view name;
  BuiltinPlace place;
  std::string_view instead; // what to write; may be empty
  std::string_view because; // why it is missing; may be empty
};

const MissingName *findMissingFunction(std::string_view module, std::string_view name);
const MissingName *findMissingMethod(std::string_view name);
/// What to write for a name that stands for the same thing in another language or library; empty if
/// none is known.
std::string_view spellingHere(std::string_view name);
/// What kernels have instead of a function that Python has without an import, perhaps nothing; none
/// for other names.
std::optional<std::string_view> insteadOfPython(std::string_view name);

/// All rows in the table's order.
const std::vector<Builtin> &allBuiltins();
/// `name` as found in module `module`; "" holds what needs no import. Null if there is none.
const Builtin *findFunction(std::string_view module, std::string_view name);
const Builtin *findMethod(std::string_view name);
const Builtin *findDescriptorMethod(std::string_view name);
/// The function of libdevice that computes what a module, math or numpy, calls `name` in kernels of
/// threads; empty if there is none.
std::string_view threadMathFunction(std::string_view module, std::string_view name);
/// What a name of `numba`, `numba.types` or `numpy` is there, if it is an element type.
std::optional<DType> threadTypeNamed(std::string_view module, std::string_view name);
/// All such names of numba.
std::vector<std::pair<std::string_view, DType>> numbaTypes();
/// What numba.cuda has for kernels: "threadIdx", "syncthreads", "atomic.add".
std::vector<std::string> threadNames();

/// Names for suggestions.
std::vector<std::string> functionNames(std::string_view module);
std::vector<std::string> methodNames();
std::vector<std::string> descriptorMethodNames();

} // namespace nereid::sema
