/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the compiler remarks. */
#include "nereid-c/remarks.h"
#include "Check.h"

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def columns(x, y, stride, B: tl.constexpr):\n"
                           "    i = tl.arange(0, B)\n"
                           "    a, b = tl.load(x + i * stride), tl.load(x + i * stride + 1)\n"
                           "    tl.store(y + i, a + b)\n";

struct found {
  size_t count;
  uint32_t line;
  uint64_t operations;
  int is_as_wanted;
};

static void note(void *user, const nereid_remark *remark) {
  struct found *found = user;
  ++found->count;
  found->line = remark->place.line;
  found->operations = remark->count;
  found->is_as_wanted = !strcmp(remark->id, "access_by_element") &&
                        strstr(remark->text, "one by one") && strlen(remark->accepted) > 0 &&
                        !strcmp(remark->place.file, "columns.py") &&
                        strstr(remark->report, "columns.py:7:") && strstr(remark->report, "^");
}

static void of_signature(const nereid_kernel *kernel) {
  struct found found = {0};
  const char *strided = "x=*f32,y=*f32,stride=i32,B=256";
  const char *straight = "x=*f32,y=*f32,stride=1,B=256";
  nereid_compile_options options = {.size = sizeof options, .cpu = "haswell"};
  CHECK_OK(nereid_kernel_remarks(kernel, strided, &options, note, &found, &error));
  CHECK(found.count == 1 && found.line == 7 && found.operations == 2 && found.is_as_wanted);
  found.count = 0;
  CHECK_OK(nereid_kernel_remarks(kernel, straight, NULL, note, &found, &error));
  CHECK(found.count == 0);
  CHECK_FAILS(nereid_kernel_remarks(kernel, "x=*f32", NULL, note, &found, &error),
              NEREID_ERROR_SOURCE, "'y'");
  CHECK_FAILS(nereid_kernel_remarks(kernel, strided, NULL, NULL, NULL, &error), NEREID_ERROR_USAGE,
              "null");
  CHECK_FAILS(nereid_kernel_remarks(kernel, NULL, NULL, note, &found, &error), NEREID_ERROR_USAGE,
              "null");
  CHECK_FAILS(nereid_kernel_remarks(NULL, strided, NULL, note, &found, &error), NEREID_ERROR_USAGE,
              "null");
}

static void of_arguments(const nereid_kernel *kernel, const nereid_device *device) {
  struct found found = {0};
  const int64_t shape[1] = {2048};
  nereid_array *array = NULL;
  nereid_argument arguments[4];
  CHECK_OK(nereid_array_zeros(device, NEREID_DTYPE_Float32, shape, 1, &array, &error));
  arguments[0] = nereid_arg_array("x", array);
  arguments[1] = nereid_arg_array("y", array);
  arguments[2] = nereid_arg_int64("stride", 4);
  arguments[3] = nereid_arg_int64("B", 256);
  CHECK_OK(nereid_kernel_remarks_for(kernel, arguments, 4, NULL, note, &found, &error));
  CHECK(found.count == 2 && found.line == 8); // both arrays are one: no store passes the caches by
  CHECK_FAILS(nereid_kernel_remarks_for(kernel, NULL, 4, NULL, note, &found, &error),
              NEREID_ERROR_USAGE, "null");
  CHECK_FAILS(nereid_kernel_remarks_for(kernel, arguments, 4, NULL, NULL, NULL, &error),
              NEREID_ERROR_USAGE, "null");
  nereid_array_release(array);
}

int main(void) {
  nereid_device *device = NULL;
  nereid_module *module = NULL;
  nereid_kernel *kernel = NULL;
  CHECK_OK(nereid_device_open("cpu", NULL, &device, &error));
  CHECK_OK(nereid_module_from_text(text, sizeof text - 1, "columns.py", NULL, &module, &error));
  CHECK_OK(nereid_module_kernel(module, "columns", &kernel, &error));
  of_signature(kernel);
  of_arguments(kernel, device);
  nereid_kernel_release(kernel);
  nereid_module_release(module);
  nereid_device_release(device);
  printf("%d failures\n", failures);
  return failures != 0;
}
