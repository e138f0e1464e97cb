// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts that hold kernels.
#pragma once

#include "nereid/kernel.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nereid {

namespace detail {
struct ModuleState;
} // namespace detail

/// What the text of a module does not say (docs/modules.md).
struct ModuleOptions {
  /// Directories in which imports are looked for, after the module's own.
  std::vector<std::string> paths = {};
  /// Values for names of the modules, and for expressions that only a running Python could compute:
  /// {{"torch.cuda.is_available()", true}}. Arrays have no place here.
  std::vector<NamedArgument> definitions = {};
  /// fromText: the file that the text was taken from, beside which imports are looked for.
  std::string path = {};
  /// The number of the text's first line in messages.
  unsigned firstLine = 1;
};

/// The kernels of one source text, which may import other files. Those are read when a kernel needs
/// them, and nothing is executed.
class NEREID_API Module {
public:
  static Module load(const std::string &path, const ModuleOptions &options = {});
  static Module load(const char *path, const ModuleOptions &options = {}) {
    return load(detail::requireText(path), options);
  }
  /// `name` stands for the path in messages.
  static Module fromText(std::string text, std::string name = "<text>",
                         const ModuleOptions &options = {});
  static Module fromText(const char *text, std::string name = "<text>",
                         const ModuleOptions &options = {}) {
    return fromText(detail::requireText(text), std::move(name), options);
  }
  std::vector<std::string> kernelNames() const;
  /// The only one that there is; an Error lists them if there are several.
  Kernel kernel() const;
  Kernel kernel(std::string_view name) const;
  Kernel kernel(const char *name) const {
    return kernel(std::string_view(detail::requireText(name)));
  }

private:
  friend struct detail::ModuleState;
  explicit Module(std::shared_ptr<detail::ModuleState> state) : state(std::move(state)) {}
  std::shared_ptr<detail::ModuleState> state;
};

} // namespace nereid
