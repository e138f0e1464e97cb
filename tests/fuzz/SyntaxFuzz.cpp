// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds damaged kernels to the lexer and the parser: they must end, keep every range inside the
// text, print the same tree twice, and read back an expression that they printed.
//   fuzz_syntax --seed N --seconds S [--corpus DIR]...
#include "frontend/lex/Lexer.h"
#include "frontend/parse/Parser.h"
#include "support/Check.h"
#include "support/Diagnostics.h"

#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace nereid {
namespace {

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

void checkModule(const SourceFile &file) {
  try {
    ast::Module module = parseModule(file);
    for (const ast::Binding &binding : module.bindings)
      checkRange(file, binding.range);
    NEREID_CHECK(printed(module) == printed(parseModule(file)), "a tree prints the same each time");
  } catch (const SourceError &error) {
    checkDiagnostic(file, error.diagnostic);
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

void checkSyntax(const std::string &text) {
  StageScope stage("syntax", "fuzz", [&] { return text; });
  SourceFile file("fuzz", text);
  checkTokens(file);
  checkModule(file);
  checkRoundTrip(file);
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

class Mutator {
  size_t below(size_t bound) { return bound ? random() % bound : 0; }
  template <typename Items> const auto &pick(const Items &items) {
    return items[below(std::size(items))];
  }

public:
  Mutator(uint64_t seed, std::vector<std::string> corpus)
      : random(seed), corpus(std::move(corpus)) {}

  std::string next() {
    std::string text = pick(corpus);
    for (size_t count = below(6); count > 0; --count)
      mutate(text);
    return text;
  }

private:
  void mutate(std::string &text) {
    constexpr size_t longestText = 1 << 16;
    switch (below(6)) {
    case 0:
      if (!text.empty())
        text[below(text.size())] = static_cast<char>(random());
      break;
    case 1:
      text.insert(below(text.size() + 1), pick(fragments));
      break;
    case 2:
      text.insert(below(text.size() + 1), slice(pick(corpus)));
      break;
    case 3:
      text.erase(below(text.size() + 1), below(40));
      break;
    case 4:
      text.resize(below(text.size() + 1));
      break;
    case 5:
      nest(text);
      break;
    }
    text.resize(std::min(text.size(), longestText));
  }

  std::string slice(const std::string &text) {
    size_t begin = below(text.size() + 1);
    return text.substr(begin, below(80));
  }

  void nest(std::string &text) {
    std::string repeated;
    const char *fragment = pick(fragments);
    for (size_t count = below(400); count > 0; --count)
      repeated += fragment;
    text.insert(below(text.size() + 1), repeated);
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

  std::mt19937_64 random;
  std::vector<std::string> corpus;
};

std::string readFile(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void addCorpus(std::vector<std::string> &corpus, const std::filesystem::path &directory) {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file())
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end()); // so that a seed names a run
  for (const auto &path : paths)
    corpus.push_back(readFile(path));
}

} // namespace
} // namespace nereid

#ifdef NEREID_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  nereid::checkSyntax(std::string(reinterpret_cast<const char *>(data), size));
  return 0;
}
#else
int main(int argc, char **argv) {
  uint64_t seed = 1;
  std::chrono::seconds limit(10);
  std::vector<std::string> corpus(std::begin(nereid::builtInCorpus),
                                  std::end(nereid::builtInCorpus));
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view option = argv[i];
    if (option == "--seed")
      seed = std::stoull(argv[i + 1]);
    else if (option == "--seconds")
      limit = std::chrono::seconds(std::stoll(argv[i + 1]));
    else if (option == "--corpus")
      nereid::addCorpus(corpus, argv[i + 1]);
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  for (const std::string &text : corpus)
    nereid::checkSyntax(text);
  nereid::Mutator mutator(seed, std::move(corpus));
  auto end = std::chrono::steady_clock::now() + limit;
  size_t count = 0;
  for (; std::chrono::steady_clock::now() < end; ++count)
    nereid::checkSyntax(mutator.next());
  std::printf("%zu texts, seed %llu\n", count, static_cast<unsigned long long>(seed));
}
#endif
