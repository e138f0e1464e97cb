/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a launch would ask of a GPU. */
#include "nereid-c/analyze.h"
#include "Check.h"

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def copy(x, y, B: tl.constexpr):\n"
                           "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                           "    tl.store(y + i, tl.load(x + i))\n"
                           "\n"
                           "@triton.jit\n"
                           "def rounds(x, y, B: tl.constexpr):\n"
                           "    for at in range(tl.program_id(0), 2048, B):\n"
                           "        tl.store(y + at, tl.load(x + at))\n";

static void compare(const nereid_kernel *kernel, const nereid_argument *arguments) {
  nereid_analysis *first = NULL, *second = NULL;
  nereid_comparison *comparison = NULL;
  nereid_analyze_options options = {.size = sizeof options, .warps = 8};
  CHECK_OK(nereid_kernel_analyze(kernel, 8, 1, 1, arguments, 3, NULL, &first, &error));
  CHECK_OK(nereid_kernel_analyze(kernel, 8, 1, 1, arguments, 3, &options, &second, &error));
  CHECK_FAILS(nereid_analysis_compare(first, NULL, &comparison, &error), NEREID_ERROR_USAGE,
              "null");
  CHECK_OK(nereid_analysis_compare(first, second, &comparison, &error));
  nereid_analysis_release(first);
  nereid_analysis_release(second);
  CHECK(strstr(nereid_comparison_text(comparison), "threads of a block"));
  CHECK(strstr(nereid_comparison_json(comparison), "\"differences\""));
  CHECK(strstr(nereid_comparison_html(comparison), "<!doctype html>"));
  nereid_comparison_release(comparison);
  CHECK(!strcmp(nereid_comparison_text(NULL), ""));
  nereid_comparison_release(NULL);
}

static void analyze(const nereid_kernel *kernel, const nereid_argument *arguments) {
  nereid_analysis *analysis = NULL;
  nereid_analyze_options options = {.size = sizeof options, .target = "sm_80", .card = "a100"};
  CHECK_OK(nereid_kernel_analyze(kernel, 8, 1, 1, arguments, 3, NULL, &analysis, &error));
  CHECK(nereid_analysis_seconds(analysis) > 0);
  CHECK(strlen(nereid_analysis_bound(analysis)) > 0);
  CHECK(strstr(nereid_analysis_text(analysis), "copy for sm_90a on h100"));
  CHECK(strstr(nereid_analysis_json(analysis), "\"sectors\": 256"));
  nereid_analysis_release(analysis);
  CHECK_OK(nereid_kernel_analyze(kernel, 8, 1, 1, arguments, 3, &options, &analysis, &error));
  CHECK(strstr(nereid_analysis_json(analysis), "\"card\": \"a100\""));
  CHECK(strstr(nereid_analysis_html(analysis), "<!doctype html>"));
  nereid_analysis_release(analysis);
  options.target = "cpu";
  CHECK_FAILS(nereid_kernel_analyze(kernel, 8, 1, 1, arguments, 3, &options, &analysis, &error),
              NEREID_ERROR_USAGE, "GPUs are analyzed");
  CHECK_FAILS(nereid_kernel_analyze(kernel, 8, 1, 1, arguments, 2, NULL, &analysis, &error),
              NEREID_ERROR_SOURCE, "'B'");
  CHECK_FAILS(nereid_kernel_analyze(NULL, 8, 1, 1, arguments, 3, NULL, &analysis, &error),
              NEREID_ERROR_USAGE, "null");
  CHECK_FAILS(nereid_kernel_analyze(kernel, 8, 1, 1, arguments, 3, NULL, NULL, &error),
              NEREID_ERROR_USAGE, "null");
  CHECK(nereid_analysis_seconds(NULL) == 0);
  CHECK(!strcmp(nereid_analysis_text(NULL), ""));
  nereid_analysis_release(NULL);
}

/* Sixteen accesses of a program. */
static void follow(const nereid_kernel *rounds, const nereid_argument *arguments) {
  nereid_analysis *analysis = NULL;
  nereid_analyze_options options = {.size = sizeof options, .most_accesses = 10};
  CHECK_FAILS(nereid_kernel_analyze(rounds, 8, 1, 1, arguments, 3, &options, &analysis, &error),
              NEREID_ERROR_USAGE, "followed for 10 accesses");
  options.most_accesses = 1000;
  CHECK_OK(nereid_kernel_analyze(rounds, 8, 1, 1, arguments, 3, &options, &analysis, &error));
  nereid_analysis_release(analysis);
}

int main(void) {
  nereid_device *device = NULL;
  nereid_module *module = NULL;
  nereid_kernel *kernel = NULL, *rounds = NULL;
  nereid_array *array = NULL;
  const int64_t shape[1] = {2048};
  nereid_argument arguments[3];
  CHECK_OK(nereid_device_open("cpu", NULL, &device, &error));
  CHECK_OK(nereid_module_from_text(text, sizeof text - 1, "copy.py", NULL, &module, &error));
  CHECK_OK(nereid_module_kernel(module, "copy", &kernel, &error));
  CHECK_OK(nereid_module_kernel(module, "rounds", &rounds, &error));
  CHECK_OK(nereid_array_zeros(device, NEREID_DTYPE_Float32, shape, 1, &array, &error));
  arguments[0] = nereid_arg_array("x", array);
  arguments[1] = nereid_arg_array("y", array);
  arguments[2] = nereid_arg_int64("B", 256);
  analyze(kernel, arguments);
  compare(kernel, arguments);
  follow(rounds, arguments);
  nereid_array_release(array);
  nereid_kernel_release(kernel);
  nereid_kernel_release(rounds);
  nereid_module_release(module);
  nereid_device_release(device);
  printf("%d failures\n", failures);
  return failures != 0;
}
