// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/Arguments.h"
#include "capi/Error.h"
#include "capi/Handles.h"
#include "capi/Options.h"

#include <limits>

using namespace nereid;

static unsigned toLine(size_t number) {
  if (number > std::numeric_limits<int32_t>::max())
    throw Error(Error::Kind::Usage, std::to_string(number) + " is no number of a line");
  return number ? static_cast<unsigned>(number) : 1;
}

static ModuleOptions toModuleOptions(const nereid_module_options *given) {
  auto options = capi::readOptions(given);
  ModuleOptions result;
  if (options.path_count)
    capi::require(options.paths, "list of paths");
  for (size_t i = 0; i < options.path_count; ++i)
    result.paths.emplace_back(capi::require(options.paths[i], "path"));
  result.definitions = capi::toArguments(options.definitions, options.definition_count);
  result.path = options.path ? options.path : "";
  result.firstLine = toLine(options.first_line);
  return result;
}

static nereid_module named(Module module) {
  std::vector<std::string> names = module.kernelNames();
  return {std::move(module), std::move(names)};
}

nereid_status nereid_module_load(const char *path, const nereid_module_options *options,
                                 nereid_module **module, nereid_error **error) {
  return capi::guardMaking(module, error, [&] {
    return named(Module::load(capi::require(path, "path"), toModuleOptions(options)));
  });
}

nereid_status nereid_module_from_text(const char *text, size_t length, const char *name,
                                      const nereid_module_options *options, nereid_module **module,
                                      nereid_error **error) {
  return capi::guardMaking(module, error, [&] {
    return named(Module::fromText(std::string(capi::require(text, "text"), length),
                                  name ? name : "<text>", toModuleOptions(options)));
  });
}

size_t nereid_module_kernel_count(const nereid_module *module) {
  return module ? module->kernelNames.size() : 0;
}

const char *nereid_module_kernel_name(const nereid_module *module, size_t index) {
  return index < nereid_module_kernel_count(module) ? module->kernelNames[index].c_str() : nullptr;
}

void nereid_module_release(nereid_module *module) { delete module; }
