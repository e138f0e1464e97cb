/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The check device's options, and tensor descriptors. */
#include "Check.h"

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def promises(out, n):\n"
                           "    m = tl.multiple_of(n, 16)\n"
                           "    tl.store(out, m // (n - n))\n"
                           "\n"
                           "@triton.jit\n"
                           "def sums(out, n):\n"
                           "    total = n\n"
                           "    for i in range(0, n):\n"
                           "        total += i\n"
                           "    tl.store(out + tl.program_id(0), total)\n"
                           "\n"
                           "@triton.jit\n"
                           "def copy(source, target):\n"
                           "    y = tl.program_id(0) * 2\n"
                           "    target.store([y, 0], source.load([y, 1]))\n"
                           "\n"
                           "from numba import cuda\n"
                           "\n"
                           "@cuda.jit\n"
                           "def fill(out, n):\n"
                           "    i = cuda.grid(1)\n"
                           "    out[i] = n + cuda.threadIdx.y\n";

static nereid_module *module;

static nereid_kernel *kernel(const char *name) {
  nereid_kernel *made = NULL;
  CHECK_OK(nereid_module_kernel(module, name, &made, &error));
  return made;
}

static nereid_device *check(nereid_device_options options) {
  nereid_device *device = NULL;
  options.size = sizeof options;
  CHECK_OK(nereid_device_open("check", &options, &device, &error));
  return device;
}

static nereid_array *numbers(const nereid_device *device, int64_t count) {
  nereid_array *array = NULL;
  CHECK_OK(nereid_array_zeros(device, NEREID_DTYPE_Int32, &count, 1, &array, &error));
  return array;
}

static void hear(void *user, const nereid_finding *finding) {
  CHECK(finding->is_warning && !strcmp(finding->id, "broken_promise"));
  CHECK(finding->place.line == 6 && finding->has_program && finding->count == 1);
  ++*(int *)user;
}

static void warnings(void) {
  const char *ignored[] = {"division_by_zero"};
  int heard = 0;
  nereid_device *device = check((nereid_device_options){
      .ignored = ignored, .ignored_count = 1, .warn = hear, .warn_user = &heard});
  nereid_array *out = numbers(device, 1);
  nereid_argument arguments[] = {nereid_arg_array("out", out), nereid_arg_int64("n", 5)};
  nereid_kernel *promises = kernel("promises");
  CHECK_OK(nereid_kernel_launch(promises, device, 1, 1, 1, arguments, 2, NULL, &error));
  CHECK(heard == 1);
  nereid_array_release(out);
  nereid_device_release(device);
  device = check((nereid_device_options){.warn = hear, .warn_user = &heard});
  out = numbers(device, 1);
  arguments[0] = nereid_arg_array("out", out);
  CHECK_FAILS(nereid_kernel_launch(promises, device, 1, 1, 1, arguments, 2, NULL, &error),
              NEREID_ERROR_CHECKED, "division_by_zero");
  nereid_array_release(out);
  nereid_device_release(device);
  nereid_kernel_release(promises);
}

static int32_t total(const nereid_stop *stop) {
  size_t i;
  for (i = 0; i < stop->variable_count; ++i)
    if (!strcmp(stop->variables[i].name, "total"))
      return *(const int32_t *)stop->variables[i].elements;
  return -1;
}

/* Stops twice in the loop of the first program, and then no more. */
static nereid_resume stopped(void *user, const nereid_stop *stop) {
  int *stops = user;
  CHECK(!strcmp(stop->place.file, "checked.py") && stop->place.line == 13);
  CHECK(stop->program[0] == 0 && total(stop) == 4 + *stops * (*stops - 1) / 2);
  return ++*stops == 3 ? NEREID_RESUME_FINISH : NEREID_RESUME_CONTINUE;
}

static void breakpoints(void) {
  const nereid_place place = {"checked.py", 13, 0};
  int stops = 0;
  nereid_device *device = check((nereid_device_options){
      .breakpoints = &place, .breakpoint_count = 1, .stopped = stopped, .stopped_user = &stops});
  nereid_array *out = numbers(device, 2);
  nereid_argument arguments[] = {nereid_arg_array("out", out), nereid_arg_int64("n", 4)};
  nereid_kernel *sums = kernel("sums");
  int32_t result[2];
  CHECK_OK(nereid_kernel_launch(sums, device, 2, 1, 1, arguments, 2, NULL, &error));
  CHECK_OK(nereid_array_copy_to(out, result, sizeof result, &error));
  CHECK(stops == 3 && result[0] == 10 && result[1] == 10);
  nereid_kernel_release(sums);
  nereid_array_release(out);
  nereid_device_release(device);
}

static void descriptors(const char *name) {
  const int64_t shape[2] = {3, 4}, block[2] = {2, 4};
  float source[12], target[12];
  nereid_device *device = NULL;
  nereid_array *from = NULL, *to = NULL;
  nereid_kernel *copy = kernel("copy");
  int i;
  for (i = 0; i < 12; ++i)
    source[i] = (float)i;
  CHECK_OK(nereid_device_open(name, NULL, &device, &error));
  CHECK_OK(
      nereid_array_borrow(device, source, NEREID_DTYPE_Float32, shape, NULL, 2, &from, &error));
  CHECK_OK(nereid_array_borrow(device, target, NEREID_DTYPE_Float32, shape, NULL, 2, &to, &error));
  {
    nereid_tensor_descriptor read = {from, block, 1}, write = {to, block, 0};
    nereid_argument arguments[] = {nereid_arg_descriptor("source", &read),
                                   nereid_arg_descriptor("target", &write)};
    CHECK_OK(nereid_kernel_launch(copy, device, 2, 1, 1, arguments, 2, NULL, &error));
    for (i = 0; i < 12; ++i) /* NaN where a block was outside */
      CHECK(i % 4 == 3 ? target[i] != target[i] : target[i] == (float)(i + 1));
    read.pads_with_nan = 2;
    CHECK_FAILS(nereid_kernel_launch(copy, device, 2, 1, 1, arguments, 2, NULL, &error),
                NEREID_ERROR_USAGE, "0 and 1 are accepted");
    read.array = NULL;
    CHECK_FAILS(nereid_kernel_launch(copy, device, 2, 1, 1, arguments, 2, NULL, &error),
                NEREID_ERROR_USAGE, "array of a tensor descriptor");
  }
  nereid_array_release(from);
  nereid_array_release(to);
  nereid_device_release(device);
  nereid_kernel_release(copy);
}

static nereid_resume wrong(void *user, const nereid_stop *stop) {
  (void)user, (void)stop;
  return 7;
}

static void misuse(void) {
  const char *ignored[] = {"divisionbyzero"};
  const nereid_place place = {"checked.py", 13, 0};
  nereid_device_options options = {.size = sizeof options, .ignored = ignored, .ignored_count = 1};
  nereid_device *device = NULL;
  CHECK_FAILS(nereid_device_open("check", &options, &device, &error), NEREID_ERROR_USAGE,
              "did you mean 'division_by_zero'");
  options.ignored = NULL;
  CHECK_FAILS(nereid_device_open("check", &options, &device, &error), NEREID_ERROR_USAGE,
              "list of ids");
  options.ignored_count = 0;
  options.breakpoints = &place;
  options.breakpoint_count = 1;
  CHECK_FAILS(nereid_device_open("check", &options, &device, &error), NEREID_ERROR_USAGE,
              "callback for breakpoints");
  options.stopped = wrong;
  device = check(options);
  {
    nereid_array *out = numbers(device, 1);
    nereid_argument arguments[] = {nereid_arg_array("out", out), nereid_arg_int64("n", 4)};
    nereid_kernel *sums = kernel("sums");
    CHECK_FAILS(nereid_kernel_launch(sums, device, 1, 1, 1, arguments, 2, NULL, &error),
                NEREID_ERROR_USAGE, "cannot go on in way 7");
    nereid_kernel_release(sums);
    nereid_array_release(out);
  }
  nereid_device_release(device);
}

/* A kernel of threads: the block of a launch, and the thread of a stop and of a finding. */
static nereid_resume atThread(void *user, const nereid_stop *stop) {
  int *stops = user;
  CHECK(stop->has_thread && stop->place.line == 26);
  if (stop->program[0] == 1 && stop->thread[0] == 2 && stop->thread[1] == 0)
    ++stops[1];
  ++stops[0];
  return NEREID_RESUME_CONTINUE;
}

static void threads(void) {
  const nereid_place place = {"checked.py", 26, 0};
  int stops[2] = {0, 0};
  nereid_launch_options options = {.size = sizeof options, .block = {3}};
  nereid_device *device = check((nereid_device_options){
      .breakpoints = &place, .breakpoint_count = 1, .stopped = atThread, .stopped_user = stops});
  nereid_array *out = numbers(device, 6), *few = numbers(device, 5);
  nereid_kernel *fill = kernel("fill");
  nereid_argument arguments[] = {nereid_arg_array("out", out), nereid_arg_int64("n", 4)};
  CHECK_FAILS(nereid_kernel_launch(fill, device, 2, 1, 1, arguments, 2, NULL, &error),
              NEREID_ERROR_USAGE, "a launch needs a block");
  CHECK_OK(nereid_kernel_launch(fill, device, 2, 1, 1, arguments, 2, &options, &error));
  CHECK(stops[0] == 6 && stops[1] == 1);
  arguments[0] = nereid_arg_array("out", few);
  CHECK_FAILS(nereid_kernel_launch(fill, device, 2, 1, 1, arguments, 2, &options, &error),
              NEREID_ERROR_CHECKED, "thread (2, 0, 0) of block (1, 0, 0)");
  nereid_kernel_release(fill);
  nereid_array_release(out);
  nereid_array_release(few);
  nereid_device_release(device);
}

int main(void) {
  CHECK_OK(nereid_module_from_text(text, sizeof text - 1, "checked.py", NULL, &module, &error));
  warnings();
  breakpoints();
  descriptors("cpu");
  descriptors("check");
  misuse();
  threads();
  nereid_module_release(module);
  printf("%d failures\n", failures);
  return failures != 0;
}
