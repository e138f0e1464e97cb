// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds damaged kernels to the lexer and the parser: they must end, keep every range inside the
// text, print the same tree twice, and read back an expression that they printed.
#include "Driver.h"
#include "OddPlaces.h"
#include "frontend/lex/Lexer.h"
#include "frontend/parse/Parser.h"
#include "support/Check.h"
#include "support/Diagnostics.h"

#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

namespace nereid::fuzz {
namespace {

namespace fs = std::filesystem;

template <typename Tree> std::string printed(const Tree &tree) {
  std::string text;
  llvm::raw_string_ostream out(text);
  print(tree, out);
  return text;
}

void checkRange(const SourceFile &file, SourceRange range) {
  NEREID_CHECK(range.file == &file, "a range belongs to the file that was read");
  NEREID_CHECK(range.begin <= range.end && range.end <= file.text().size(),
               "a range lies inside its text");
}

void checkDiagnostic(const SourceFile &file, const Diagnostic &diagnostic) {
  checkRange(file, diagnostic.range);
  NEREID_CHECK(!diagnostic.render().empty(), "a mistake has a message");
}

void checkTokens(const SourceFile &file) {
  std::vector<Token> tokens = tokenize(file);
  uint32_t last = 0;
  for (const Token &token : tokens) {
    checkRange(file, token.range);
    NEREID_CHECK(token.range.begin >= last, "tokens are in order and do not overlap");
    last = token.range.end;
  }
  NEREID_CHECK(tokens.back().kind == TokenKind::End, "the last token is the end");
}

Outcome checkModule(const SourceFile &file) {
  try {
    ast::Module module = parseModule(file);
    for (const ast::Binding &binding : module.bindings)
      checkRange(file, binding.range);
    NEREID_CHECK(printed(module) == printed(parseModule(file)), "a tree prints the same each time");
    return Outcome::Accepted;
  } catch (const SourceError &error) {
    checkDiagnostic(file, error.diagnostic);
    return Outcome::Refused;
  }
}

/// What was printed is fully parenthesised, so it may exceed the nesting that its source had, and
/// the text of a format may hold quotes that are not those it is printed between.
void checkRoundTrip(const SourceFile &file) {
  try {
    ast::ExprPtr expr = parseExpression(file);
    checkRange(file, expr->range);
    std::string text = printed(*expr);
    SourceFile again("printed", text);
    try {
      NEREID_CHECK(printed(*parseExpression(again)) == text,
                   "a printed expression reads as itself");
    } catch (const SourceError &error) {
      bool isExcused = error.diagnostic.id == DiagnosticId::nested_too_deeply ||
                       text.find("f\"") != std::string::npos;
      NEREID_CHECK(isExcused, error.diagnostic.render());
    }
  } catch (const SourceError &error) {
    checkDiagnostic(file, error.diagnostic);
  }
}

Outcome checkSyntax(const std::string &text) {
  SourceFile file("fuzz", text);
  checkTokens(file);
  checkRoundTrip(file);
  return checkModule(file);
}

constexpr const char *builtInCorpus[] = {
    "import triton\nimport triton.language as tl\nBLOCK = tl.constexpr(4)\n\n@triton.jit\n"
    "def add(x, y, n, B: tl.constexpr = 4, *rest):\n  '''Adds.'''\n"
    "  i = tl.program_id(0) * B + tl.arange(0, B)\n  m = i < n\n"
    "  for k in range(0, n, B):\n    if k == 1 and not m: break\n    elif k: continue\n"
    "    else:\n      x += k\n  while (k := k - 1) > 0:\n    pass\n"
    "  a, (b, c) = x[:, None], (1.5e3, 0x_ff)\n  assert n <= B, f\"n {n:>4} {a['k']}\"\n"
    "  tl.store(y + i, tl.load(x + i, mask=m), mask=m)\n  return [v for v in rest if v]\n",
    "a if b else -c ** ~d[1:2, ::3, ...] // f(*x, k='\\x41' r\"\\\") is not None\n",
};

class SyntaxKind final : public Kind {
public:
  SyntaxKind() {
    std::vector<fs::path> paths;
    for (const auto &entry : fs::directory_iterator(NEREID_KERNELS))
      if (entry.path().extension() == ".py")
        paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end()); // so that a seed names a run
    for (const fs::path &path : paths)
      corpus.push_back(readWhole(path));
  }

  std::string make(Random &random) override {
    std::string text = random.pick(corpus);
    for (size_t count = random.below(6); count > 0; --count)
      mutate(random, text);
    return text;
  }

  Outcome attempt(const std::string &input) override { return checkSyntax(input); }

private:
  void mutate(Random &random, std::string &text) const {
    constexpr size_t longestText = 1 << 16;
    switch (random.below(6)) {
    case 0:
      if (!text.empty())
        text[random.below(text.size())] = static_cast<char>(random.bits());
      break;
    case 1:
      text.insert(random.below(text.size() + 1), random.pick(fragments));
      break;
    case 2:
      text.insert(random.below(text.size() + 1), slice(random, random.pick(corpus)));
      break;
    case 3:
      text.erase(random.below(text.size() + 1), random.below(40));
      break;
    case 4:
      text.resize(random.below(text.size() + 1));
      break;
    case 5:
      nest(random, text);
      break;
    }
    text.resize(std::min(text.size(), longestText));
  }

  static std::string slice(Random &random, const std::string &text) {
    size_t begin = random.below(text.size() + 1);
    return text.substr(begin, random.below(80));
  }

  static void nest(Random &random, std::string &text) {
    std::string repeated;
    const char *fragment = random.pick(fragments);
    for (size_t count = random.below(400); count > 0; --count)
      repeated += fragment;
    text.insert(random.below(text.size() + 1), repeated);
  }

  static constexpr const char *fragments[] = {"(",
                                              ")",
                                              "[",
                                              "]",
                                              "{",
                                              "}",
                                              "'",
                                              "\"",
                                              "'''",
                                              "\"\"\"",
                                              "f'{",
                                              "f\"{",
                                              "}'",
                                              ":",
                                              ",",
                                              "\n",
                                              "\r\n",
                                              "\r",
                                              "\t",
                                              "  ",
                                              "\\",
                                              "\\\n",
                                              "#",
                                              "=",
                                              ":=",
                                              "**",
                                              "*",
                                              "-",
                                              "not ",
                                              " if x else ",
                                              ".b",
                                              "[0]",
                                              "()",
                                              "f(",
                                              "@jit\n",
                                              "def f(",
                                              "class ",
                                              "lambda ",
                                              " for x in y",
                                              "\\N{",
                                              "1e",
                                              "0x",
                                              "1_",
                                              ".",
                                              "\x01",
                                              "\xff",
                                              "\xEF\xBB\xBF",
                                              "\nif a:\n ",
                                              " elif b:\n",
                                              "\n\t"};

  std::vector<std::string> corpus{std::begin(builtInCorpus), std::end(builtInCorpus)};
};

} // namespace
} // namespace nereid::fuzz

#ifdef NEREID_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  nereid::fuzz::checkSyntax(std::string(reinterpret_cast<const char *>(data), size));
  return 0;
}
#else
int main(int argc, char **argv) {
  using namespace nereid::fuzz;
  constexpr KindRow kinds[] = {
      {"texts", "texts, to the lexer and the parser",
       []() -> std::unique_ptr<Kind> { return std::make_unique<SyntaxKind>(); }}};
  return runFuzzer(argc, argv, kinds);
}
#endif
