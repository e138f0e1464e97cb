/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a launch's time goes: on a CPU, by line; what is refused; and what nothing gives. */
#include "nereid-c/profile.h"
#include "Check.h"

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def fill(x, B: tl.constexpr):\n"
                           "    tl.store(x + tl.arange(0, B), 1.0)\n";

int main(void) {
  nereid_device *device = NULL;
  nereid_module *module = NULL;
  nereid_kernel *kernel = NULL;
  nereid_profile *profile = NULL;
  nereid_profile_options options = {.size = sizeof options, .detail = "waits", .turns = 3};
  nereid_device *checked = NULL;
  nereid_array *x = NULL;
  const int64_t shape[] = {64};
  CHECK_OK(nereid_device_open("cpu", NULL, &device, &error));
  CHECK_OK(nereid_device_open("check", NULL, &checked, &error));
  CHECK_OK(nereid_module_from_text(text, sizeof text - 1, "fill.py", NULL, &module, &error));
  CHECK_OK(nereid_module_kernel(module, "fill", &kernel, &error));
  CHECK_OK(nereid_array_zeros(device, NEREID_DTYPE_Float32, shape, 1, &x, &error));
  nereid_argument arguments[] = {nereid_arg_array("x", x), nereid_arg_int64("B", 64)};
  CHECK_FAILS(nereid_kernel_profile(checked, kernel, 1, 1, 1, NULL, 0, NULL, &profile, &error),
              NEREID_ERROR_USAGE, "cannot profile on device 'check'");
  CHECK_FAILS(
      nereid_kernel_profile(device, kernel, 1, 1, 1, arguments, 2, &options, &profile, &error),
      NEREID_ERROR_USAGE, "detail 'waits' is one of GPUs");
  options.detail = NULL;
  CHECK_OK(
      nereid_kernel_profile(device, kernel, 1, 1, 1, arguments, 2, &options, &profile, &error));
  CHECK(nereid_profile_seconds(profile) > 0);
  CHECK(strstr(nereid_profile_text(profile), "1 programs on ") != NULL);
  CHECK(strstr(nereid_profile_json(profile), "\"sampled_launches\"") != NULL);
  CHECK(strstr(nereid_profile_html(profile), "fill.py") != NULL);
  nereid_profile_release(profile);
  profile = NULL;
  CHECK_FAILS(nereid_kernel_profile(NULL, kernel, 1, 1, 1, NULL, 0, NULL, &profile, &error),
              NEREID_ERROR_USAGE, "null");
  CHECK_FAILS(nereid_kernel_profile(device, NULL, 1, 1, 1, NULL, 0, NULL, &profile, &error),
              NEREID_ERROR_USAGE, "null");
  CHECK_FAILS(nereid_kernel_profile(device, kernel, 1, 1, 1, NULL, 0, NULL, NULL, &error),
              NEREID_ERROR_USAGE, "null");
  CHECK(nereid_profile_seconds(NULL) == 0);
  CHECK(nereid_profile_overhead(NULL) == 0);
  CHECK(!strcmp(nereid_profile_text(NULL), "") && !strcmp(nereid_profile_json(NULL), "") &&
        !strcmp(nereid_profile_trace(NULL), "") && !strcmp(nereid_profile_html(NULL), ""));
  nereid_profile_release(NULL);
  nereid_array_release(x);
  nereid_kernel_release(kernel);
  nereid_device_release(checked);
  nereid_module_release(module);
  nereid_device_release(device);
  printf("%d failures\n", failures);
  return failures != 0;
}
