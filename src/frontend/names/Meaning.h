// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a name, or the attribute of a module, stands for before anything is computed with it.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/sema/Builtins.h"
#include "frontend/sema/Constant.h"
#include "frontend/sema/DeviceFunctions.h"
#include "frontend/sema/HostModules.h"

#include <string>
#include <variant>

namespace nereid::names {

/// "triton", "triton.language", a module of Python's library, or one that was imported.
struct ModuleReference {
  std::string path;
  const ast::Module *module = nullptr; // of the last kind
};

/// A name that only isinstance, annotations and constructors use: tl.constexpr, tl.tensor ...
struct ClassReference {
  std::string name;
};

/// os.getenv and os.environ.get
struct EnvironmentLookup {};

using Meaning =
    std::variant<sema::ConstantValue, ModuleReference, ClassReference, EnvironmentLookup,
                 const sema::Builtin *, const sema::DeviceFunction *, const sema::HostFunction *>;

template <typename T> const T *as(const Meaning &meaning) { return std::get_if<T>(&meaning); }

} // namespace nereid::names
