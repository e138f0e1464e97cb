// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where imports and names lead, in programs of several modules that stand in this file.
#include "frontend/names/Names.h"
#include "frontend/parse/Parser.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace nereid::test {
namespace {

/// Modules by their paths, whoever asks.
struct Program : sema::Environment {
  explicit Program(const std::map<std::string, std::string> &texts) {
    for (const auto &[path, text] : texts) {
      files.push_back(std::make_unique<SourceFile>(path + ".py", text));
      modules.emplace(path, parseModule(*files.back()));
    }
  }
  const ast::Module *findModule(const ast::Module &, std::string_view path) const override {
    auto found = modules.find(std::string(path));
    return found == modules.end() ? nullptr : &found->second;
  }

  std::vector<std::unique_ptr<SourceFile>> files;
  std::map<std::string, ast::Module> modules;
};

/// Knows no condition, and of `__all__` what the test says.
struct Answers : names::Evaluator {
  std::map<const ast::Module *, std::set<std::string>> exported;
  std::set<std::string> others;

  std::optional<bool> holds(const ast::Module &, const ast::Choice &, const ast::Expr &) override {
    return std::nullopt;
  }
  bool isComputable(const ast::Module &, const ast::Binding &) override { return true; }
  std::optional<std::set<std::string>> namesExported(const ast::Module &module) override {
    auto found = exported.find(&module);
    return found == exported.end() ? std::nullopt : std::optional(found->second);
  }
  bool knowsModule(std::string_view path) override { return others.contains(std::string(path)); }
};

struct Asked {
  explicit Asked(std::map<std::string, std::string> texts) : program(std::move(texts)) {}

  const ast::Module &module(const std::string &path = "kernels") {
    return program.modules.at(path);
  }
  /// The texts of the bindings that a name of `kernels` may stand for, with bars between.
  std::string of(const std::string &name) {
    std::string list;
    for (const ast::Binding *binding : names.of(module(), name, UINT32_MAX))
      list += (list.empty() ? "" : " | ") + std::string(binding->range.text());
    return list;
  }
  /// What the first import of `kernels` brings, in short.
  std::string imported(const std::string &name = "", bool isOutside = false) {
    for (const ast::Binding &binding : module().bindings)
      if (binding.kind == ast::Binding::Kind::Import)
        return shown(names.imported(module(), binding, name, isOutside));
    return "no import";
  }
  std::string shown(const names::Imported &found) {
    if (const auto *part = std::get_if<names::PartOfTriton>(&found))
      return "Triton's " + part->path;
    if (const auto *member = std::get_if<names::Member>(&found))
      return member->name + " of " + std::string(member->from->file->path());
    if (const auto *foreign = std::get_if<names::Foreign>(&found))
      return "foreign " + foreign->path + " of " + foreign->module;
    const auto *module = names::as<names::ModuleReference>(std::get<names::Meaning>(found));
    return module ? "module " + module->path : "of Python's library";
  }

  Program program;
  Answers evaluator;
  names::Names names{program, evaluator};
};

TEST(Imports, LeadToTheLanguage) {
  EXPECT_EQ(Asked({{"kernels", "import triton.language as tl\n"}}).imported(),
            "Triton's triton.language");
  EXPECT_EQ(Asked({{"kernels", "from triton.language import load\n"}}).imported(),
            "Triton's triton.language.load");
  EXPECT_EQ(Asked({{"kernels", "from triton.language import *\n"}}).imported("store"),
            "Triton's triton.language.store");
}

TEST(Imports, LeadToModulesOfTheProgram) {
  EXPECT_EQ(Asked({{"kernels", "import sizes\n"}, {"sizes", "A = 1\n"}}).imported(),
            "module sizes");
  EXPECT_EQ(Asked({{"kernels", "from sizes import A\n"}, {"sizes", "A = 1\n"}}).imported(),
            "A of sizes.py");
  EXPECT_EQ(Asked({{"kernels", "from sizes import A\n"}}).imported(), "foreign sizes.A of sizes");
}

TEST(Imports, OfPythonsLibraryAreWhatCanBeUsed) {
  EXPECT_EQ(Asked({{"kernels", "from math import pi\n"}}).imported(), "of Python's library");
  EXPECT_EQ(Asked({{"kernels", "from os import getenv\n"}}).imported(), "foreign os.getenv of os");
  EXPECT_EQ(Asked({{"kernels", "from os import getenv\n"}}).imported("", /*isOutside=*/true),
            "of Python's library");
}

TEST(Names, FollowStarsToWhatTheyBring) {
  Asked asked({{"kernels", "A = 1\nfrom sizes import *\n"}, {"sizes", "A = 2\n_B = 3\n"}});
  EXPECT_EQ(asked.of("A"), "from sizes import *");
  EXPECT_EQ(asked.of("_B"), ""); // an underscore stays at home
  asked.evaluator.exported[&asked.module("sizes")] = {"_B"};
  EXPECT_EQ(asked.of("A"), "A = 1");
  EXPECT_EQ(asked.of("_B"), "from sizes import *");
  // A circle of stars brings nothing.
  EXPECT_EQ(
      Asked({{"kernels", "from other import *\n"}, {"other", "from kernels import *\n"}}).of("A"),
      "");
}

TEST(Names, DependOnWhatCanBeImported) {
  const std::string text =
      "try:\n  from triton.language import {}\nexcept ImportError:\n  {} = None\n";
  auto with = [&](const std::string &name) {
    std::string filled = text;
    for (size_t at; (at = filled.find("{}")) != std::string::npos;)
      filled.replace(at, 2, name);
    return Asked({{"kernels", filled}}).of(name);
  };
  EXPECT_EQ(with("load").find("load = None"), std::string::npos);
  EXPECT_EQ(with("no_such_thing"), "no_such_thing = None");
}

TEST(Names, ThatAreForeignSayOfWhichModule) {
  Asked asked({{"kernels", "import numpy as np\nfrom elsewhere import f\nimport here\nA = 1\n"},
               {"here", "B = 1\n"}});
  auto foreign = [&](const std::string &name) {
    auto found = asked.names.foreign(asked.module(), name, UINT32_MAX);
    return found ? found->path + " of " + found->module : "none";
  };
  EXPECT_EQ(foreign("np"), "numpy of numpy");
  EXPECT_EQ(foreign("f"), "elsewhere.f of elsewhere");
  EXPECT_EQ(foreign("torch"), "torch of torch"); // by its usual name, without an import
  EXPECT_EQ(foreign("here"), "none");
  EXPECT_EQ(foreign("A"), "none");
  asked.evaluator.others = {"numpy"};
  EXPECT_EQ(foreign("np"), "none"); // in a kernel of threads
}

TEST(Names, OfSubmodulesNeedAnImportThatLoadsThem) {
  std::map<std::string, std::string> texts = {
      {"kernels", "import package.part\n"}, {"package", ""}, {"package.part", "A = 1\n"}};
  auto found = [&] {
    Asked asked(texts);
    names::ModuleReference package{"package", &asked.module("package")};
    return asked.names.submodule(asked.module(), package, "part").has_value();
  };
  EXPECT_TRUE(found());
  texts["kernels"] = "import package\n";
  EXPECT_FALSE(found());
}

} // namespace
} // namespace nereid::test
