// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/Arguments.h"
#include "capi/Error.h"
#include "capi/Handles.h"
#include "capi/Options.h"

using namespace nereid;

static LaunchOptions toLaunchOptions(const nereid_launch_options *given) {
  auto options = capi::readOptions(given);
  LaunchOptions result;
  if (options.print)
    result.print = [print = options.print, user = options.print_user](std::string_view lines) {
      print(user, lines.data(), lines.size());
    };
  if (options.stream)
    result.stream = options.stream->stream;
  result.tuning = {options.warps, options.pipeline_stages, options.max_registers,
                   capi::toBlock(options.block, options.shared_bytes)};
  return result;
}

static Launch prepare(const nereid_kernel *kernel, const nereid_device *device,
                      const nereid_argument *arguments, size_t count, const Tuning &tuning) {
  return capi::require(kernel, "kernel")
      ->kernel.prepare(capi::require(device, "device")->device, capi::toArguments(arguments, count),
                       tuning);
}

nereid_status nereid_kernel_launch(const nereid_kernel *kernel, const nereid_device *device,
                                   int64_t x, int64_t y, int64_t z,
                                   const nereid_argument *arguments, size_t count,
                                   const nereid_launch_options *options, nereid_error **error) {
  return capi::guard(error, [&] {
    LaunchOptions launchOptions = toLaunchOptions(options);
    prepare(kernel, device, arguments, count, launchOptions.tuning)
        .run(Grid{x, y, z}, launchOptions);
  });
}

nereid_status nereid_kernel_prepare(const nereid_kernel *kernel, const nereid_device *device,
                                    const nereid_argument *arguments, size_t count,
                                    nereid_launch **launch, nereid_error **error) {
  return capi::guardMaking(launch, error,
                           [&] { return prepare(kernel, device, arguments, count, {}); });
}

nereid_status nereid_kernel_prepare_tuned(const nereid_kernel *kernel, const nereid_device *device,
                                          const nereid_argument *arguments, size_t count,
                                          const nereid_launch_options *options,
                                          nereid_launch **launch, nereid_error **error) {
  return capi::guardMaking(launch, error, [&] {
    return prepare(kernel, device, arguments, count, toLaunchOptions(options).tuning);
  });
}

nereid_status nereid_launch_run(const nereid_launch *launch, int64_t x, int64_t y, int64_t z,
                                const nereid_launch_options *options, nereid_error **error) {
  return capi::guard(error, [&] {
    capi::require(launch, "launch")->launch.run(Grid{x, y, z}, toLaunchOptions(options));
  });
}

nereid_status nereid_launch_constant(const nereid_launch *launch, const char *name, int64_t *value,
                                     nereid_error **error) {
  return capi::guard(error, [&] {
    const Constants &constants = capi::require(launch, "launch")->launch.constants();
    *capi::require(value, "place for a number") = constants[name];
  });
}

double nereid_launch_compile_milliseconds(const nereid_launch *launch) {
  return launch ? launch->launch.compileMilliseconds() : 0;
}

bool nereid_launch_resources(const nereid_launch *launch, nereid_kernel_resources *resources) {
  std::optional<KernelResources> found;
  capi::guard(nullptr, [&] { found = capi::require(launch, "launch")->launch.resources(); });
  if (!found || !resources)
    return false;
  *resources = {found->threads,
                found->registers,
                found->localBytes,
                found->sharedBytes,
                found->programsPerMultiprocessor,
                0,
                found->occupancy};
  return true;
}

void nereid_launch_release(nereid_launch *launch) { delete launch; }
