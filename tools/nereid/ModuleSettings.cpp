// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ModuleSettings.h"

#include "GridExpression.h"
#include "frontend/lex/Lexer.h"
#include "support/Source.h"

#include <CLI/CLI.hpp>

namespace nereid::command {

/// Where the `=` stands that is in no brackets; that of `==` is none.
static size_t findEqual(const std::string &text) {
  SourceFile file("--define", text);
  int depth = 0;
  for (const Token &token : tokenizeExpression(file)) {
    using Kind = TokenKind;
    depth +=
        token.kind == Kind::LParen || token.kind == Kind::LBracket || token.kind == Kind::LBrace;
    depth -=
        token.kind == Kind::RParen || token.kind == Kind::RBracket || token.kind == Kind::RBrace;
    if (token.kind == Kind::Equal && depth == 0)
      return token.range.begin;
  }
  return std::string::npos;
}

static NamedArgument readDefinition(const std::string &text) {
  size_t equal = findEqual(text);
  if (equal == std::string::npos || equal == 0)
    throw Error(Error::Kind::Usage, "--define " + text + " is not of the form NAME=VALUE");
  std::string name = text.substr(0, equal);
  GridExpression value("--define " + name, text.substr(equal + 1));
  return {name, toArgument(value.evaluate(NoArguments()))};
}

void ModuleSettings::addTo(CLI::App &command) {
  command
      .add_option("--path", paths, "DIR: look for imports there, after the file's own directory")
      ->type_size(1)
      ->allow_extra_args(false);
  command
      .add_option("--define", definitions,
                  "NAME=VALUE: the value of a module's name, an environment variable or an "
                  "expression that only Python could compute")
      ->type_size(1)
      ->allow_extra_args(false);
}

ModuleOptions ModuleSettings::read() const {
  ModuleOptions options{.paths = paths};
  for (const std::string &text : definitions)
    options.definitions.push_back(readDefinition(text));
  return options;
}

} // namespace nereid::command
