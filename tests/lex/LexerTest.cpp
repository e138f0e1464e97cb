// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/lex/Lexer.h"

#include "frontend/lex/Number.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <limits>

namespace nereid {
namespace {

/// The tokens of `text` in short: texts of words, names of layout, ids of errors.
std::string lex(std::string text) {
  SourceFile file("test.py", std::move(text));
  std::string result;
  for (const Token &token : tokenize(file)) {
    bool isLayout = token.kind <= TokenKind::Dedent;
    result += result.empty() ? "" : " ";
    if (token.kind == TokenKind::End)
      break;
    if (token.error)
      result += "!" + std::string(nameOf(*token.error)) + ":";
    result += isLayout ? spelling(token.kind) : token.text();
  }
  return result;
}

TokenKind kindOf(std::string text) {
  SourceFile file("test.py", std::move(text));
  std::vector<Token> tokens = tokenize(file);
  EXPECT_EQ(tokens.size(), 3u) << "one token, a newline and the end";
  return tokens.front().kind;
}

TEST(Lexer, EndsEveryFileWithANewlineAndClosesItsBlocks) {
  EXPECT_EQ(lex(""), "");
  EXPECT_EQ(lex("x"), "x newline ");
  EXPECT_EQ(lex("if x:\n  y"), "if x : newline indent y newline dedent ");
}

TEST(Lexer, SkipsBlankAndCommentLines) {
  EXPECT_EQ(lex("# a\n\n   # b\nx # c\n  \n# d"), "x newline ");
}

TEST(Lexer, MarksBlocksByIndentation) {
  EXPECT_EQ(lex("a:\n  b:\n    c\nd\n"),
            "a : newline indent b : newline indent c newline dedent dedent d newline ");
}

TEST(Lexer, ReportsADedentToNoEnclosingBlockAndStaysInTheBlock) {
  EXPECT_EQ(lex("a:\n    b\n  c\nd\n"), "a : newline indent b newline "
                                        "!inconsistent_indentation:   c newline dedent d newline ");
}

TEST(Lexer, CountsATabToTheNextMultipleOfEight) {
  EXPECT_EQ(lex("a:\n\tb\n\tc\n"), "a : newline indent b newline c newline dedent ");
  EXPECT_EQ(lex("a:\n        b\n\tc\n"), "a : newline indent b newline "
                                         "!inconsistent_indentation:\t c newline dedent ");
}

TEST(Lexer, JoinsLinesInBracketsAndAfterABackslash) {
  EXPECT_EQ(lex("f(a,\n  # comment\n b)\n"), "f ( a , b ) newline ");
  EXPECT_EQ(lex("a = \\\n  1\n"), "a = 1 newline ");
  EXPECT_EQ(lex("a = \\\r\n  1\n"), "a = 1 newline ");
  EXPECT_EQ(lex("a \\ b\n"), "a !invalid_character:\\ b newline ");
}

TEST(Lexer, AcceptsEveryLineEndAndAByteOrderMark) {
  EXPECT_EQ(lex("a\r\nb\rc\n"), "a newline b newline c newline ");
  EXPECT_EQ(lex("\xEF\xBB\xBF"
                "a\n"),
            "a newline ");
}

TEST(Lexer, TakesTheLongestOperator) {
  EXPECT_EQ(lex("a**=b//=c>>=d!=e:=f->g...h"), "a **= b //= c >>= d != e := f -> g ... h newline ");
  EXPECT_EQ(lex("a<<b<=c<d"), "a << b <= c < d newline ");
}

TEST(Lexer, TellsKeywordsFromNames) {
  EXPECT_EQ(kindOf("if"), TokenKind::If);
  EXPECT_EQ(kindOf("iffy"), TokenKind::Identifier);
  EXPECT_EQ(kindOf("None"), TokenKind::None);
  EXPECT_EQ(kindOf("none"), TokenKind::Identifier);
  EXPECT_EQ(kindOf("größe_2"), TokenKind::Identifier);
}

TEST(Lexer, KnowsEveryFormOfNumber) {
  for (const char *text : {"0", "00", "0_0", "1_000", "0xFf", "0x_f", "0b1_0", "0O17"})
    EXPECT_EQ(kindOf(text), TokenKind::Integer) << text;
  for (const char *text : {"1.", ".5", "1.5", "1e5", "1E-5", "1_0.2_5e+1_0", "012.5", "09e1"})
    EXPECT_EQ(kindOf(text), TokenKind::Float) << text;
  for (const char *text : {"1j", "1.5J", "09j", "1e3j"})
    EXPECT_EQ(kindOf(text), TokenKind::Imaginary) << text;
}

TEST(Lexer, RefusesMalformedNumbersAsAWhole) {
  for (const char *text : {"012", "1__0", "1_", "0x", "0b2", "0o8", "1abc", "1e", "0xfg", "1.5x"})
    EXPECT_EQ(lex(text), "!invalid_number:" + std::string(text) + " newline ");
  EXPECT_EQ(lex(std::string(4301, '1')).substr(0, 15), "!invalid_number");
}

TEST(Lexer, LetsAKeywordFollowANumber) {
  EXPECT_EQ(lex("1if x else 2"), "1 if x else 2 newline ");
  EXPECT_EQ(lex("1else"), "1 else newline ");
  EXPECT_EQ(lex("1..real"), "1. . real newline ");
}

TEST(Lexer, KnowsEveryStringPrefix) {
  for (const char *text : {"'a'", "u'a'", "r'a'", "R\"a\"", "'''a\n'b'''", "'\\''", "r'\\''", "''"})
    EXPECT_EQ(kindOf(text), TokenKind::String) << text;
  for (const char *text : {"f'a'", "fr'a'", "Rf'a'", "f'{x[\"a\"]}'", "F'''\n{x}'''"})
    EXPECT_EQ(kindOf(text), TokenKind::FString) << text;
  for (const char *text : {"b'a'", "br'a'", "Rb'a'"})
    EXPECT_EQ(kindOf(text), TokenKind::Bytes) << text;
  EXPECT_EQ(lex("bu'a'"), "bu 'a' newline ");
}

TEST(Lexer, FindsTheEndOfNestedFStrings) {
  EXPECT_EQ(kindOf(R"(f"{f"{f"{1}"}"}")"), TokenKind::FString);
  EXPECT_EQ(kindOf(R"(f"{x["a"]:>{w["b"]}}{{")"), TokenKind::FString);
  EXPECT_EQ(kindOf(R"(f"\N{DASH}{x}\{y}")"), TokenKind::FString);
  EXPECT_EQ(kindOf("f'{ {1: \"}\"}[1] }'"), TokenKind::FString);
}

TEST(Lexer, EndsAnUnterminatedStringAtItsLine) {
  EXPECT_EQ(lex("a = 'b\nc\n"), "a = !unterminated_string:'b newline c newline ");
  EXPECT_EQ(lex("f'{a\nb"), "!unterminated_string:f'{a newline b newline ");
}

TEST(Lexer, EndsAnUnterminatedTripleQuotedStringAtTheNextDefinition) {
  EXPECT_EQ(lex("a = '''b\nc\ndef f\n"), "a = !unterminated_string:'''b\nc newline def f newline ");
}

TEST(Lexer, ReportsBracketsThatDoNotMatch) {
  EXPECT_EQ(lex("a)\n"), "a !unmatched_bracket:) newline ");
  EXPECT_EQ(lex("(a]\n)\n"), "( a !unmatched_bracket:] ) newline ");
  EXPECT_EQ(lex("([a)\n"), "( !unclosed_bracket:[ a ) newline ");
}

TEST(Lexer, EndsAnOpenBracketWhereADefinitionStartsALine) {
  EXPECT_EQ(lex("f(a\n  b\n@c\ndef d"),
            "f !unclosed_bracket:( a b newline @ c newline def d newline ");
  EXPECT_EQ(lex("f(a\n  def\nclassic\n"), "f !unclosed_bracket:( a def classic newline ");
}

TEST(Lexer, ReportsCharactersThatPythonDoesNotUse) {
  EXPECT_EQ(lex("!ls $x ?"), "!invalid_character:! ls !invalid_character:$ x "
                             "!invalid_character:? newline ");
  EXPECT_EQ(lex("a\xEF\xBB\xBFx\n"), "a !invalid_character:\xEF\xBB\xBF x newline ");
}

TEST(Lexer, EndsAnFStringsFieldWhereItsExpressionEnds) {
  SourceFile file("test.py", "f\"{a[1:2] != b:x}\"");
  std::vector<Token> tokens = tokenizeField(file, 3, 17);
  EXPECT_EQ(tokens.back().range.begin, 14u);
}

TEST(Lexer, PrintsOneTokenALine) {
  SourceFile file("test.py", "if x:\n  y = 'a\\n' $\n");
  std::string text;
  llvm::raw_string_ostream out(text);
  print(tokenize(file), out);
  EXPECT_EQ(text, "1:1 keyword 'if'\n1:4 identifier 'x'\n1:5 operator ':'\n1:6 newline\n"
                  "2:1 indent\n2:3 identifier 'y'\n2:5 operator '='\n2:7 string ''a\\\\n''\n"
                  "2:13 error invalid_character '$'\n2:14 newline\n3:1 dedent\n3:1 end of file\n");
}

TEST(Number, HasItsValue) {
  EXPECT_TRUE(integerValue("0x_ff") == 255u);
  EXPECT_TRUE(integerValue("0b101") == 5u);
  EXPECT_TRUE(integerValue("1_000") == 1000u);
  EXPECT_TRUE(integerValue("340282366920938463463374607431768211455") == ~(unsigned __int128)0);
  EXPECT_FALSE(integerValue("340282366920938463463374607431768211456"));
  EXPECT_FALSE(integerValue("0x100000000000000000000000000000000"));
  EXPECT_EQ(floatValue("1_0.5e-1"), 1.05);
  EXPECT_EQ(floatValue("1."), 1.0);
  EXPECT_EQ(floatValue(".5"), 0.5);
  EXPECT_EQ(floatValue("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(floatValue("1e-999"), 0.0);
  EXPECT_EQ(floatValue("0.1"), 0.1);
}

} // namespace
} // namespace nereid
