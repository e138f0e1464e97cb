// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a running host (Python) says that the names of a kernel's text stand for. A text without one
// explains itself (docs/modules.md).
#pragma once

#include "frontend/sema/Constant.h"
#include "support/PrintText.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nereid::ast {
struct Function;
struct Module;
} // namespace nereid::ast

namespace nereid::sema {

struct HostValue;

/// A part of the language: "triton.language.load".
struct LanguagePart {
  std::string path;
};

/// A function that is traced where it is called. `owner` keeps its text alive.
struct HostedFunction {
  const ast::Module *module = nullptr;
  const ast::Function *function = nullptr;
  std::shared_ptr<const void> owner;
};

/// A class of tuples with names. One class is one object, whatever names it.
struct HostRecord {
  std::string name;
  std::vector<std::string> fields;
  /// Of the fields those that have a default, and the methods that are traced; its own, not those
  /// of its bases.
  std::map<std::string, HostValue, std::less<>> defaults, methods;
  std::vector<std::shared_ptr<const HostRecord>> bases;
};

struct HostTuple {
  std::vector<HostValue> elements;
  std::shared_ptr<const HostRecord> record = {}; ///< whose object it is; null for plain ones
};

/// A module or an object of the host, with those of its attributes that the text mentions.
struct HostNamespace {
  std::string name;
  std::map<std::string, HostValue, std::less<>> members;
};

/// A function that the host itself runs. What it throws leaves the compilation, or the launch.
struct HostCall {
  std::string name;
  /// What its results depend on, as text: part of the key under which a kernel is kept.
  std::string key;
  using Named = std::pair<std::string, HostValue>;
  /// While the kernel is traced, on constants; "" names positional ones.
  std::function<HostValue(std::span<const Named> arguments)> call;

  /// A constant, or a scalar or tile of a program.
  struct Given {
    std::string name;
    std::shared_ptr<const HostValue> constant; // null: the operand
    PrintedOperand operand = {};
  };
  /// If there is one, it takes the place of `call`: every program runs it, in the checked mode.
  std::function<void(std::span<const Given> arguments)> run = {};
  std::optional<std::string> resultMatters = {}; ///< as of an ast::Function
};

/// An array whose numbers are part of the kernel; the last index goes fastest.
struct HostArray {
  DType dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

/// Something that no kernel can use: a mistake where it is used, and only there.
struct Foreign {
  std::string description; ///< "a torch.device"
};

struct HostValue {
  using Variant =
      std::variant<ConstantValue, LanguagePart, HostedFunction, std::shared_ptr<const HostTuple>,
                   std::shared_ptr<const HostNamespace>, std::shared_ptr<const HostCall>,
                   std::shared_ptr<const HostRecord>, std::shared_ptr<const HostArray>, Foreign>;
  Variant variant;

  template <typename T> const T *as() const { return std::get_if<T>(&variant); }
};

struct HostScope {
  using Names = std::map<std::string, HostValue, std::less<>>;
  /// Of the text's free names those that the host knows, and of the function's parameters those
  /// that have a default.
  Names globals, defaults;

  const HostValue *find(std::string_view name) const;
  const HostValue *defaultOf(std::string_view parameter) const;
  /// Equal texts for scopes under which equal texts mean the same. The texts of functions that are
  /// reached are part of it, and where they stand if that matters, too.
  std::string key(bool withPlaces = false) const;
};

/// As HostScope::key, of one value.
std::string keyOf(const HostValue &value);
std::string keyOf(const std::shared_ptr<const HostRecord> &record);

} // namespace nereid::sema
