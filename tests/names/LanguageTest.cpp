// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the language and Python's library have under a path.
#include "frontend/names/Language.h"
#include "frontend/names/PythonModules.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

using names::as;
using names::Meaning;

/// A meaning in short: "built-in load", "module triton.language.math", "class tensor", "3".
std::string shown(const Meaning &meaning) {
  if (const auto *row = as<const sema::Builtin *>(meaning))
    return "built-in " + std::string((*row)->name);
  if (const auto *function = as<const sema::DeviceFunction *>(meaning))
    return "libdevice " + std::string((*function)->name);
  if (const auto *function = as<const sema::HostFunction *>(meaning))
    return "Python's " + std::string((*function)->name);
  if (const auto *module = as<names::ModuleReference>(meaning))
    return "module " + module->path;
  if (const auto *type = as<names::ClassReference>(meaning))
    return "class " + type->name;
  if (const auto *constant = as<sema::ConstantValue>(meaning))
    return sema::toString(*constant);
  return "environment";
}

/// What a module of the language has, or the mistake.
std::string inModule(const std::string &module, const std::string &name) {
  try {
    return shown(names::attributeOfLanguage({module}, name, {}));
  } catch (const SourceError &error) {
    std::string text = error.diagnostic.text;
    for (const DiagnosticNote &note : error.diagnostic.notes)
      text += "; " + note.text;
    return text;
  }
}

TEST(Language, HasItsBuiltInsAtTheirPlaces) {
  EXPECT_EQ(inModule("triton.language", "load"), "built-in load");
  EXPECT_EQ(inModule("triton.language", "exp"), "built-in exp");
  EXPECT_EQ(inModule("triton.language.math", "exp"), "built-in exp");
  EXPECT_EQ(inModule("triton", "cdiv"), "built-in cdiv");
}

TEST(Language, HasModulesUnderSeveralPaths) {
  EXPECT_EQ(inModule("triton", "language"), "module triton.language");
  EXPECT_EQ(inModule("triton.language", "core"), "module triton.language");
  const std::string libdevice = "module triton.language.extra.libdevice";
  EXPECT_EQ(inModule("triton.language", "libdevice"), libdevice);
  EXPECT_EQ(inModule("triton.language.extra", "libdevice"), libdevice);
  EXPECT_EQ(inModule("triton.language.extra.cuda", "libdevice"), libdevice);
  EXPECT_EQ(inModule("triton.language.extra.libdevice", "sin"), "libdevice sin");
}

TEST(Language, HasTypesClassesAndConstants) {
  EXPECT_EQ(inModule("triton.language", "float32"), "float32");
  EXPECT_EQ(inModule("triton.language", "tensor"), "class tensor");
  EXPECT_EQ(inModule("triton.language", "TRITON_MAX_TENSOR_NUMEL"), "1048576");
  names::ClassReference kind{"dtype.KIND"};
  EXPECT_EQ(shown(*names::attributeOfClass(kind, "FLOATING")), "2");
  EXPECT_FALSE(names::attributeOfClass(kind, "COMPLEX"));
}

TEST(Language, SaysWhatWasMeant) {
  EXPECT_NE(inModule("triton.language", "laod").find("did you mean 'load'?"), std::string::npos);
  EXPECT_NE(inModule("triton.language", "f32").find("did you mean"), std::string::npos);
  EXPECT_NE(inModule("triton.language.math", "nothing_like_it").find("module triton.language.math"),
            std::string::npos);
}

TEST(Language, PartsAreFoundByTheirPaths) {
  EXPECT_TRUE(names::hasPart("triton"));
  EXPECT_TRUE(names::hasPart("triton.language.load"));
  EXPECT_TRUE(names::hasPart("triton.language.dtype.KIND.FLOATING"));
  EXPECT_FALSE(names::hasPart("triton.language.no_such_thing"));
  EXPECT_FALSE(names::hasPart("triton.language.load.more"));
}

TEST(PythonModules, AreKnownInPart) {
  EXPECT_EQ(shown(*names::partOfPython("math.sqrt", false)), "Python's math.sqrt");
  EXPECT_EQ(shown(*names::partOfPython("os.environ", false)), "module os.environ");
  EXPECT_EQ(shown(*names::partOfPython("os.environ.get", false)), "environment");
  EXPECT_EQ(shown(*names::partOfPython("collections.namedtuple", false)), "class namedtuple");
  EXPECT_FALSE(names::partOfPython("os.path", false));
  // How the library asks for its version is nobody else's concern.
  EXPECT_TRUE(names::partOfPython("triton.versions", true));
  EXPECT_FALSE(names::partOfPython("triton.versions", false));
}

} // namespace
} // namespace nereid::test
