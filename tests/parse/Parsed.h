// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parser makes of a text, as text: a tree, or the first mistake.
#pragma once

#include "frontend/parse/Parser.h"
#include "support/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <string_view>

namespace nereid::test {

template <typename Tree> std::string printed(const Tree &tree) {
  std::string text;
  llvm::raw_string_ostream out(text);
  print(tree, out);
  return text;
}

/// Keeps the text until the next one, because a mistake points into it.
inline const SourceFile &keep(const std::string &text) {
  static std::unique_ptr<SourceFile> last;
  last = std::make_unique<SourceFile>("test.py", text);
  return *last;
}

inline std::string expression(const std::string &text) {
  return printed(*parseExpression(keep(text)));
}

/// Mistakes in functions are kept there; here the first one is what becomes of the module.
inline std::string module(const std::string &text) {
  ast::Module tree = parseModule(keep(text));
  for (const ast::Binding &binding : tree.bindings)
    if (binding.function && binding.function->mistake)
      throw SourceError(*binding.function->mistake);
  return printed(tree);
}

/// What a kernel with `body`, indented by two, becomes.
inline std::string kernel(const std::string &body) {
  return module("@triton.jit\ndef k(a, b):\n" + body)
      .substr(std::string("function k(a, b)\n").size());
}

/// "id text 'source under the caret'" of the mistake that `parse` reports.
template <typename Parse> std::string mistake(Parse parse) {
  try {
    parse();
  } catch (const SourceError &error) {
    const Diagnostic &diagnostic = error.diagnostic;
    return std::string(nameOf(diagnostic.id)) + ": " + diagnostic.text + " '" +
           std::string(diagnostic.range.text()) + "'";
  }
  return "no mistake";
}

inline std::string moduleMistake(const std::string &text) {
  return mistake([&] { module(text); });
}

inline std::string kernelMistake(const std::string &body) {
  return moduleMistake("@triton.jit\ndef k(a, b):\n" + body);
}

inline std::string expressionMistake(const std::string &text) {
  return mistake([&] { expression(text); });
}

inline std::string parameterMistake(const std::string &parameters) {
  return moduleMistake("@jit\ndef k(" + parameters + "):\n  pass\n");
}

inline std::string repeated(std::string_view text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

} // namespace nereid::test
