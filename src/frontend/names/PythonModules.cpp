// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/names/PythonModules.h"

#include "frontend/sema/TritonVersion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace nereid::names {

using sema::ConstantValue;

static std::string_view package(std::string_view path) { return path.substr(0, path.find('.')); }

bool isWellKnown(std::string_view path) {
  constexpr std::string_view names[] = {"np", "numpy", "math", "torch", "jnp", "os", "typing"};
  return llvm::is_contained(names, package(path));
}

bool isOfPython(std::string_view path) {
  constexpr std::string_view names[] = {"math", "os", "typing", "collections", "packaging"};
  return llvm::is_contained(names, package(path));
}

std::optional<Meaning> partOfPython(const std::string &path, bool isForLibrary) {
  if (auto number = sema::findHostNumber(path))
    return ConstantValue(*number);
  if (const sema::HostFunction *function = sema::findHostFunction(path))
    return function;
  if (path == "collections.namedtuple")
    return ClassReference{"namedtuple"};
  if (path == "packaging.version.parse" || path == packageVersion)
    return ClassReference{std::string(packageVersion)};
  if (path == "math" || path == "os" || path == "collections" || path == "os.environ" ||
      path == "typing" || path == "packaging" || path == "packaging.version")
    return ModuleReference{path};
  if (path == "os.getenv" || path == "os.environ.get")
    return EnvironmentLookup();
  if (path == "typing.TYPE_CHECKING")
    return ConstantValue(false);
  if (path == "triton.__version__")
    return ConstantValue(std::string(sema::tritonVersion().release));
  // How the library asks what a version of the language has.
  if (path == "triton.versions" && isForLibrary)
    return ModuleReference{path};
  if (llvm::StringRef name = path; isForLibrary && name.consume_front("triton.versions."))
    if (auto holds = sema::findTritonDifference(name))
      return ConstantValue(*holds);
  return std::nullopt;
}

} // namespace nereid::names
