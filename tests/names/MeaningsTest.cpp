// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bindings a name may stand for: the text's matter, with answers about conditions and imports
// that are made up.
#include "frontend/names/Meanings.h"
#include "frontend/parse/Parser.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace nereid::test {
namespace {

/// Conditions by their text; imports by their module.
struct MadeUp : names::ModuleFacts {
  std::map<std::string, bool> known;
  std::map<std::string, bool> imports;
  std::set<std::string> incomputable, provided;
  unsigned asked = 0;

  std::optional<bool> holds(const ast::Module &, const ast::Choice &,
                            const ast::Expr &condition) override {
    ++asked;
    auto found = known.find(std::string(condition.range.text()));
    return found == known.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<bool> isImportable(const ast::Module &, const ast::Binding &import) override {
    auto found = imports.find(import.import.module);
    return found == imports.end() ? std::nullopt : std::optional(found->second);
  }
  bool isComputable(const ast::Module &, const ast::Binding &constant) override {
    return !incomputable.contains(constant.name);
  }
  bool mayProvide(const ast::Module &, const ast::Binding &, const std::string &name) override {
    return provided.contains(name);
  }
};

/// The texts of the bindings of `name` in a module, the last first, with bars between.
std::string meant(const std::string &text, MadeUp facts = {}, const std::string &name = "A",
                  uint32_t before = UINT32_MAX) {
  SourceFile file("test.py", text);
  ast::Module module = parseModule(file);
  std::string list;
  for (const ast::Binding *binding : names::Meanings(facts).of(module, name, before))
    list += (list.empty() ? "" : " | ") + std::string(binding->range.text());
  return list;
}

MadeUp with(std::map<std::string, bool> known) {
  MadeUp facts;
  facts.known = std::move(known);
  return facts;
}

TEST(Meanings, AreOfTheLastBindingBeforeTheUse) {
  EXPECT_EQ(meant("A = 1\nA = 2\nB = 3\n"), "A = 2");
  EXPECT_EQ(meant("A = 1\nA = 2\n", {}, "A", 6), "A = 1");
  EXPECT_EQ(meant("B = 1\n"), "");
}

TEST(Meanings, FollowConditionsThatAreKnown) {
  const std::string text = "A = 0\nif x:\n  A = 1\nelif y:\n  A = 2\nelse:\n  A = 3\n";
  EXPECT_EQ(meant(text, with({{"x", true}})), "A = 1");
  EXPECT_EQ(meant(text, with({{"x", false}, {"y", true}})), "A = 2");
  EXPECT_EQ(meant(text, with({{"x", false}, {"y", false}})), "A = 3");
  EXPECT_EQ(meant("A = 0\nif x:\n  A = 1\n", with({{"x", false}})), "A = 0");
}

TEST(Meanings, AreSeveralWhereAConditionIsOpen) {
  EXPECT_EQ(meant("A = 0\nif x:\n  A = 1\n"), "A = 1 | A = 0");
  EXPECT_EQ(meant("A = 0\nif x:\n  A = 1\n  A = 2\n"), "A = 2 | A = 0"); // replaced in its own arm
  EXPECT_EQ(meant("A = 0\nif x:\n  A = 1\nelif y:\n  A = 2\nelse:\n  A = 3\n", with({{"y", true}})),
            "A = 2 | A = 1 | A = 0");
  EXPECT_EQ(meant("if x:\n  A = 1\nA = 2\n"), "A = 2"); // whatever x is
  EXPECT_EQ(meant("A = 0\nif x:\n  if y:\n    A = 1\n", with({{"y", false}})), "A = 0");
}

TEST(Meanings, OfAnAttemptDependOnWhatIsThere) {
  const std::string text = "try:\n  from fast import A\nexcept ImportError:\n  A = 1\n";
  MadeUp there, missing;
  there.imports = {{"fast", true}};
  missing.imports = {{"fast", false}};
  EXPECT_NE(meant(text, there).find("A"), std::string::npos);
  EXPECT_EQ(meant(text, there).find("A = 1"), std::string::npos);
  EXPECT_EQ(meant(text, missing), "A = 1");
  EXPECT_EQ(meant(text).rfind("A = 1 | ", 0), 0u);
  MadeUp unknown = there;
  unknown.incomputable = {"B"};
  EXPECT_EQ(
      meant("try:\n  from fast import A\n  B = other\nexcept ImportError:\n  A = 1\n", unknown)
          .rfind("A = 1 | ", 0),
      0u);
}

TEST(Meanings, OfAStarCountWhereItMayBringTheName) {
  MadeUp provides;
  provides.provided = {"A"};
  EXPECT_EQ(meant("A = 1\nfrom m import *\n"), "A = 1");
  EXPECT_NE(meant("A = 1\nfrom m import *\n", provides), "A = 1");
  EXPECT_EQ(meant("from m import *\nA = 1\n", provides), "A = 1");
}

TEST(Meanings, AskOnceAboutACondition) {
  MadeUp facts;
  SourceFile file("test.py", "if x:\n  A = 1\n  B = 2\nelse:\n  A = 3\n  B = 4\n");
  ast::Module module = parseModule(file);
  names::Meanings meanings(facts);
  EXPECT_EQ(meanings.of(module, "A", UINT32_MAX).size(), 2u);
  EXPECT_EQ(meanings.of(module, "B", UINT32_MAX).size(), 2u);
  EXPECT_EQ(facts.asked, 1u);
}

} // namespace
} // namespace nereid::test
