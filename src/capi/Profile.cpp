// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/profile.h"
#include "capi/Arguments.h"
#include "capi/Error.h"
#include "capi/Handles.h"
#include "capi/Options.h"
#include "nereid-c/profile.h"

using namespace nereid;

struct nereid_profile {
  explicit nereid_profile(const Profile &profile)
      : seconds(profile.seconds), overhead(profile.overhead()), text(toText(profile)),
        json(toJson(profile)), trace(toTrace(profile)), html(toHtml(profile)) {}

  double seconds, overhead;
  std::string text, json, trace, html;
};

static ProfileOptions toProfileOptions(const nereid_profile_options *given) {
  ProfileOptions result;
  if (!given)
    return result;
  auto options = capi::readOptions(given);
  if (options.detail)
    result.detail = options.detail;
  result.tuning = {options.warps, options.pipeline_stages, options.max_registers};
  result.turns = options.turns;
  return result;
}

nereid_status nereid_kernel_profile(const nereid_device *device, const nereid_kernel *kernel,
                                    int64_t x, int64_t y, int64_t z,
                                    const nereid_argument *arguments, size_t count,
                                    const nereid_profile_options *options, nereid_profile **result,
                                    nereid_error **error) {
  return capi::guardMaking(result, error, [&] {
    return profile(capi::require(device, "device")->device, capi::require(kernel, "kernel")->kernel,
                   Grid{x, y, z}, capi::toArguments(arguments, count), toProfileOptions(options));
  });
}

double nereid_profile_seconds(const nereid_profile *profile) {
  return profile ? profile->seconds : 0;
}
double nereid_profile_overhead(const nereid_profile *profile) {
  return profile ? profile->overhead : 0;
}

static const char *partOf(const nereid_profile *profile, std::string nereid_profile::*part) {
  return profile ? (profile->*part).c_str() : "";
}

const char *nereid_profile_text(const nereid_profile *profile) {
  return partOf(profile, &nereid_profile::text);
}
const char *nereid_profile_json(const nereid_profile *profile) {
  return partOf(profile, &nereid_profile::json);
}
const char *nereid_profile_trace(const nereid_profile *profile) {
  return partOf(profile, &nereid_profile::trace);
}
const char *nereid_profile_html(const nereid_profile *profile) {
  return partOf(profile, &nereid_profile::html);
}
void nereid_profile_release(nereid_profile *profile) { delete profile; }
