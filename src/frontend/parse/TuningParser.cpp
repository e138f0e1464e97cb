// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decorators are skipped where kernels are read, since they hold any Python; who tunes reads them
// here.
#include "frontend/parse/TuningParser.h"

#include "frontend/lex/Lexer.h"
#include "frontend/parse/ExpressionParser.h"
#include "support/Diagnostics.h"

#include "llvm/Support/Casting.h"

namespace nereid {
namespace {

bool isStartOfLine(TokenKind before) {
  return before == TokenKind::Newline || before == TokenKind::Indent ||
         before == TokenKind::Dedent || before == TokenKind::Semicolon;
}

int depthChange(TokenKind kind) {
  if (kind == TokenKind::LParen || kind == TokenKind::LBracket || kind == TokenKind::LBrace)
    return 1;
  return kind == TokenKind::RParen || kind == TokenKind::RBracket || kind == TokenKind::RBrace ? -1
                                                                                               : 0;
}

[[noreturn]] void failUnknown(SourceRange range, const std::string &what) {
  failWithNote(range, {{}, "--configs \"NAME=VALUE,VALUE\" says what is tried instead of the file"},
               DiagnosticId::only_python_knows, what);
}

/// In quotes, and of several lines the first.
std::string quoted(SourceRange range) {
  std::string_view text = range.text(), line = text.substr(0, text.find('\n'));
  return "'" + std::string(line) + (line.size() < text.size() ? " ..." : "") + "'";
}

class TuningParser {
public:
  TuningParser(const SourceFile &file, const ast::Function &function)
      : tokens(tokenize(file)), cursor(tokens), expressions(cursor), function(function) {}

  ast::WrittenTuning parse() {
    for (size_t start : decorators()) {
      cursor.rewind(start);
      std::string name = takeLastName();
      if (!cursor.accept(TokenKind::LParen))
        continue;
      if (name == "autotune")
        tryAutotune();
      else if (name == "heuristics")
        readHeuristics();
    }
    return std::move(tuning);
  }

private:
  std::vector<size_t> decorators();
  std::string takeLastName();
  void tryAutotune();
  void readAutotune();
  void readArgument(const std::string &name);
  void readConfigs();
  void readNamedConfigs();
  void readList();
  void readConfig(TokenKind end);
  void readDictionary(std::vector<ast::WrittenConfig::Item> &items);
  void readOptions(ast::WrittenConfig &config);
  void readClauses(ast::WrittenConfig &config);
  void readHeuristics();
  void refuseSpread();
  std::string readLambda();
  size_t endOfArgument() const;
  SourceRange rangeTo(size_t end) const;
  std::vector<size_t> definitionsOf(const std::string &name, bool isFunction) const;

  std::vector<Token> tokens;
  TokenCursor cursor;
  ExpressionParser expressions;
  const ast::Function &function;
  ast::WrittenTuning tuning;
  unsigned depth = 0;
};

/// Where the names of the function's decorators begin, in order.
std::vector<size_t> TuningParser::decorators() {
  std::vector<size_t> starts;
  for (size_t i = 0; i < tokens.size(); ++i) {
    bool isStart = i == 0 || isStartOfLine(tokens[i - 1].kind);
    if (isStart && tokens[i].kind == TokenKind::At)
      starts.push_back(i + 1);
    else if (isStart && tokens[i].range.begin == function.range.begin)
      return starts;
    else if (isStart && tokens[i].kind != TokenKind::Newline)
      starts.clear(); // they were another's
  }
  return {};
}

/// Of a.b.c the last.
std::string TuningParser::takeLastName() {
  std::string name;
  while (cursor.at(TokenKind::Identifier)) {
    name = cursor.take().text();
    if (!cursor.accept(TokenKind::Dot))
      break;
  }
  return name;
}

/// The token after the argument at hand: a comma, or the bracket that ends all.
size_t TuningParser::endOfArgument() const {
  int inside = 0;
  for (size_t i = cursor.position(); i < tokens.size(); ++i) {
    inside += depthChange(tokens[i].kind);
    if (inside < 0 || (inside == 0 && tokens[i].kind == TokenKind::Comma))
      return i;
  }
  return tokens.size() - 1;
}

SourceRange TuningParser::rangeTo(size_t end) const {
  SourceRange range = cursor.peek().range;
  range.end = end > cursor.position() ? tokens[end - 1].range.end : range.end;
  return range;
}

void TuningParser::tryAutotune() {
  try {
    readAutotune();
  } catch (const SourceError &error) {
    tuning.failure = std::make_shared<const Diagnostic>(error.diagnostic);
  }
}

void TuningParser::readAutotune() {
  constexpr const char *order[] = {"configs",       "key",      "prune_configs_by", "reset_to_zero",
                                   "restore_value", "pre_hook", "post_hook"};
  for (size_t place = 0; !cursor.atEnd() && !cursor.at(TokenKind::RParen); ++place) {
    std::string name = place < std::size(order) ? order[place] : "";
    if (cursor.at(TokenKind::Identifier) && cursor.peek(1).kind == TokenKind::Equal) {
      name = cursor.take().text();
      cursor.skip();
    }
    size_t end = endOfArgument();
    readArgument(name);
    if (cursor.position() != end)
      failUnknown(rangeTo(end), "this part of '" + name + "'");
    cursor.accept(TokenKind::Comma);
  }
}

void TuningParser::readArgument(const std::string &name) {
  size_t end = endOfArgument();
  bool isNone = cursor.at(TokenKind::None);
  if (name == "configs")
    return readConfigs();
  if ((name == "key" || name == "restore_value") && !isNone) {
    (name == "key" ? tuning.key : tuning.restored) = expressions.parse();
    return;
  }
  if (name == "prune_configs_by" && !isNone)
    tuning.unread.push_back(rangeTo(end));
  if ((name == "pre_hook" || name == "post_hook") && !isNone)
    failUnknown(rangeTo(end), "what '" + name + "' does");
  cursor.rewind(end); // how the tuner measures is no matter of the file
}

/// Lists, names of such and calls of functions that return one, with + between.
void TuningParser::readConfigs() {
  do {
    if (cursor.at(TokenKind::LBracket))
      readList();
    else
      readNamedConfigs();
  } while (cursor.accept(TokenKind::Plus));
}

/// The places behind `name =`, or behind `def name`.
std::vector<size_t> TuningParser::definitionsOf(const std::string &name, bool isFunction) const {
  std::vector<size_t> places;
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (i != 0 && !isStartOfLine(tokens[i - 1].kind))
      continue;
    size_t at = isFunction && tokens[i].kind == TokenKind::Def ? i + 1 : i;
    bool isIt = tokens[at].text() == name && (at > i) == isFunction;
    if (isIt && tokens[at + 1].kind == (isFunction ? TokenKind::LParen : TokenKind::Equal))
      places.push_back(at + 2);
  }
  return places;
}

void TuningParser::readNamedConfigs() {
  size_t end = endOfArgument();
  SourceRange range = rangeTo(end);
  std::string text = quoted(range), name = takeLastName();
  bool isCall = cursor.at(TokenKind::LParen) && cursor.peek(1).kind == TokenKind::RParen;
  size_t after = cursor.position() + (isCall ? 2 : 0);
  bool isWhole = tokens[after].kind == TokenKind::Plus || after == end;
  auto places = name.empty() || !isWhole ? std::vector<size_t>() : definitionsOf(name, isCall);
  if (places.size() != 1 || ++depth > 8)
    failUnknown(range, "the value of " + text);
  cursor.rewind(places.front());
  if (isCall) { // `)` and perhaps a type, then a block of a text and one return
    while (!cursor.atEnd() && !cursor.at(TokenKind::Newline))
      cursor.skip();
    cursor.skip();
    cursor.accept(TokenKind::Indent);
    if (cursor.accept(TokenKind::String))
      cursor.accept(TokenKind::Newline);
    if (!cursor.accept(TokenKind::Return))
      failUnknown(range, "what " + text + " returns");
  }
  readConfigs();
  if (!cursor.at(TokenKind::Newline) && !cursor.at(TokenKind::Semicolon))
    failUnknown(cursor.peek().range, "the value of " + text);
  --depth;
  cursor.rewind(after);
}

void TuningParser::readList() {
  cursor.expect(TokenKind::LBracket);
  while (!cursor.atEnd() && !cursor.accept(TokenKind::RBracket)) {
    readConfig(TokenKind::RBracket);
    if (!cursor.at(TokenKind::RBracket))
      cursor.expect(TokenKind::Comma);
  }
}

/// triton.Config({...}, num_warps=4, ...), and what makes several of it.
void TuningParser::readConfig(TokenKind end) {
  SourceRange whole = rangeTo(endOfArgument());
  ast::WrittenConfig config;
  uint32_t begin = cursor.begin();
  if (takeLastName() != "Config" || !cursor.accept(TokenKind::LParen))
    failUnknown(whole, "the configuration " + quoted(whole));
  if (cursor.at(TokenKind::Identifier) && cursor.peek().text() == "kwargs" &&
      cursor.peek(1).kind == TokenKind::Equal) {
    cursor.skip();
    cursor.skip();
  }
  readDictionary(config.values);
  cursor.accept(TokenKind::Comma);
  readOptions(config);
  config.range = cursor.rangeFrom(begin);
  if (!cursor.at(end) && !cursor.at(TokenKind::Comma))
    readClauses(config);
  tuning.configs.push_back(std::move(config));
}

/// {"NAME": VALUE, ...} or dict(NAME=VALUE, ...)
void TuningParser::readDictionary(std::vector<ast::WrittenConfig::Item> &items) {
  bool isCall = cursor.at(TokenKind::Identifier) && cursor.peek().text() == "dict";
  if (isCall)
    cursor.skip();
  TokenKind end = isCall ? TokenKind::RParen : TokenKind::RBrace;
  SourceRange here = rangeTo(endOfArgument());
  if (!cursor.accept(isCall ? TokenKind::LParen : TokenKind::LBrace))
    failUnknown(here, "the values " + quoted(here));
  while (!cursor.accept(end)) {
    refuseSpread();
    ast::ExprPtr name = expressions.parse();
    const auto *text = llvm::dyn_cast<ast::Constant>(name.get());
    const auto *word = llvm::dyn_cast<ast::Name>(name.get());
    bool isName = isCall ? word != nullptr : text && !text->stringValue.empty();
    if (!isName || !cursor.accept(isCall ? TokenKind::Equal : TokenKind::Colon))
      failUnknown(name->range, "the parameter " + quoted(name->range));
    items.push_back({isCall ? word->name : text->stringValue, expressions.parse()});
    if (!cursor.at(end))
      cursor.expect(TokenKind::Comma);
  }
}

/// `**values` among the entries of a dictionary.
void TuningParser::refuseSpread() {
  SourceRange range = rangeTo(endOfArgument());
  if (cursor.at(TokenKind::StarStar))
    failUnknown(range, "the value of " + quoted(range));
}

void TuningParser::readOptions(ast::WrittenConfig &config) {
  constexpr const char *order[] = {"num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook"};
  for (size_t place = 0; !cursor.accept(TokenKind::RParen); ++place) {
    std::string name = place < std::size(order) ? order[place] : "";
    if (cursor.at(TokenKind::Identifier) && cursor.peek(1).kind == TokenKind::Equal) {
      name = cursor.take().text();
      cursor.skip();
    }
    SourceRange value = rangeTo(endOfArgument());
    if (name == "pre_hook" && !cursor.at(TokenKind::None))
      failUnknown(value, "what 'pre_hook' does");
    config.options.push_back({name, expressions.parse()});
    if (!cursor.at(TokenKind::RParen))
      cursor.expect(TokenKind::Comma);
  }
}

void TuningParser::readClauses(ast::WrittenConfig &config) {
  while (cursor.accept(TokenKind::For)) {
    ast::WrittenConfig::Clause clause;
    clause.target = expressions.parseLoopTarget();
    cursor.expect(TokenKind::In);
    clause.iterable = expressions.parseOr();
    while (cursor.accept(TokenKind::If))
      clause.conditions.push_back(expressions.parseOr());
    config.clauses.push_back(std::move(clause));
  }
}

void TuningParser::readHeuristics() {
  SourceRange values = rangeTo(endOfArgument());
  if (cursor.at(TokenKind::Identifier) && cursor.peek(1).kind == TokenKind::Equal) {
    cursor.skip();
    cursor.skip();
  }
  if (!cursor.accept(TokenKind::LBrace))
    failUnknown(values, "the functions " + quoted(values));
  while (!cursor.atEnd() && !cursor.accept(TokenKind::RBrace)) {
    refuseSpread();
    ast::ExprPtr name = expressions.parse();
    const auto *text = llvm::dyn_cast<ast::Constant>(name.get());
    if (!text || text->stringValue.empty() || !cursor.accept(TokenKind::Colon))
      failUnknown(name->range, "the parameter " + quoted(name->range));
    SourceRange range = rangeTo(endOfArgument());
    tuning.heuristics.push_back({text->stringValue, readLambda(), range});
    cursor.accept(TokenKind::Comma);
  }
}

/// `lambda args: ...` as an expression over the arguments, args["n"] being `n`; empty if it is
/// anything else.
std::string TuningParser::readLambda() {
  size_t end = endOfArgument();
  bool isLambda = cursor.at(TokenKind::Lambda) && cursor.peek(1).kind == TokenKind::Identifier &&
                  cursor.peek(2).kind == TokenKind::Colon;
  std::string_view name = cursor.peek(1).text();
  std::string expression;
  uint32_t last = 0;
  for (size_t i = cursor.position() + 3; isLambda && i < end; ++i) {
    if (last && tokens[i].range.begin > last)
      expression += ' ';
    bool isArgument =
        tokens[i].text() == name && i + 3 < end && tokens[i + 1].kind == TokenKind::LBracket &&
        tokens[i + 2].kind == TokenKind::String && tokens[i + 3].kind == TokenKind::RBracket;
    std::string_view word = isArgument ? tokens[i + 2].text() : tokens[i].text();
    expression += isArgument ? word.substr(1, word.size() - 2) : word;
    i += isArgument ? 3 : 0;
    last = tokens[i].range.end;
  }
  cursor.rewind(end);
  return expression;
}

} // namespace

ast::WrittenTuning parseTuning(const SourceFile &file, const ast::Function &function) {
  return TuningParser(file, function).parse();
}

} // namespace nereid
