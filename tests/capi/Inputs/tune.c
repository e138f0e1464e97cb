/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Timing a launch, and finding the fastest of several configurations. */
#include "nereid-c/tune.h"

#include "Check.h"

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def count(x, n, BLOCK: tl.constexpr):\n"
                           "    tl.static_assert(BLOCK > 1, 'too small')\n"
                           "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                           "    tl.store(x + i, 1 + tl.load(x + i, mask=i < n), mask=i < n)\n";

enum { COUNT = 1000 };

static nereid_device *device;
static nereid_kernel *kernel;
static nereid_array *array;

static void gridOf(void *user, const nereid_constants *constants, int64_t grid[3]) {
  int64_t block = 0;
  CHECK(nereid_constants_get(constants, "BLOCK", &block));
  CHECK(!nereid_constants_get(constants, "NOTHING", &block));
  CHECK(grid[0] == 1 && grid[1] == 1 && grid[2] == 1);
  grid[0] = (COUNT + block - 1) / block;
  ++*(int *)user;
}

static void measures(void) {
  nereid_launch *launch = NULL;
  nereid_timing timing;
  nereid_timer_options options = {0};
  nereid_argument arguments[3];
  arguments[0] = nereid_arg_array("x", array);
  arguments[1] = nereid_arg_int64("n", COUNT);
  arguments[2] = nereid_arg_int64("BLOCK", 64);
  CHECK_OK(nereid_kernel_prepare(kernel, device, arguments, 3, &launch, &error));
  options.size = sizeof options;
  options.warmup_microseconds = 1;
  options.repeat_microseconds = 1;
  CHECK_OK(nereid_launch_measure(launch, device, 16, 1, 1, &options, &timing, &error));
  CHECK(timing.calls >= 5 && timing.low > 0 && timing.low <= timing.median &&
        timing.median <= timing.high);
  CHECK_FAILS(nereid_launch_measure(launch, device, 1, 65536, 1, &options, &timing, &error),
              NEREID_ERROR_USAGE, "grid");
  CHECK_FAILS(nereid_launch_measure(NULL, device, 1, 1, 1, &options, &timing, &error),
              NEREID_ERROR_USAGE, "launch");
  CHECK_FAILS(nereid_launch_measure(launch, device, 1, 1, 1, NULL, NULL, &error),
              NEREID_ERROR_USAGE, "place for times");
  nereid_launch_release(launch);
}

static void tunes(void) {
  nereid_argument arguments[2], blocks[3];
  nereid_configuration configurations[4] = {{0}};
  nereid_timer_options timer = {0};
  nereid_tuning_options options = {0};
  nereid_tuning *tuning = NULL;
  nereid_timing timing;
  const char *restored = "x";
  float values[COUNT] = {0};
  int64_t sizes[3] = {1024, 1, 32};
  size_t i;
  int calls = 0;
  CHECK_OK(nereid_array_copy_from(array, values, sizeof values, &error));
  arguments[0] = nereid_arg_array("x", array);
  arguments[1] = nereid_arg_int64("n", COUNT);
  for (i = 0; i < 3; ++i) {
    blocks[i] = nereid_arg_int64("BLOCK", sizes[i]);
    configurations[i].values = &blocks[i];
    configurations[i].count = 1;
  }
  configurations[3] = configurations[0];
  timer.size = sizeof timer;
  timer.warmup_microseconds = timer.repeat_microseconds = 1;
  options.size = sizeof options;
  options.timer = &timer;
  options.restored = &restored;
  options.restored_count = 1;
  options.keeps_nothing = 1;
  CHECK_OK(nereid_tune(kernel, device, gridOf, &calls, arguments, 2, configurations, 4, &options,
                       &tuning, &error));
  CHECK(calls > 0);
  CHECK(nereid_tuning_best(tuning) == 0 || nereid_tuning_best(tuning) == 2);
  CHECK(nereid_tuning_timing(tuning, 0, &timing) && timing.median > 0 && timing.calls >= 5);
  CHECK(!nereid_tuning_timing(tuning, 1, &timing) && timing.calls == 0);
  CHECK(strstr(nereid_tuning_failure(tuning, 1), "too small"));
  CHECK(nereid_tuning_timing(tuning, 2, NULL) && !*nereid_tuning_failure(tuning, 2));
  CHECK(nereid_tuning_timing(tuning, 3, NULL) && !nereid_tuning_timing(tuning, 4, NULL));
  CHECK(!nereid_tuning_is_from_record(tuning, 0));
  nereid_tuning_release(tuning);
  CHECK_OK(nereid_array_copy_to(array, values, sizeof values, &error));
  CHECK(values[0] == 0 && values[COUNT - 1] == 0);
  CHECK_FAILS(nereid_tune(kernel, device, gridOf, &calls, arguments, 2, configurations + 1, 1,
                          &options, &tuning, &error),
              NEREID_ERROR_USAGE, "none of the configurations runs");
  CHECK(!tuning);
  configurations[0].reserved = 1;
  CHECK_FAILS(nereid_tune(kernel, device, gridOf, &calls, arguments, 2, configurations, 1, &options,
                          &tuning, &error),
              NEREID_ERROR_USAGE, "more than this version");
  CHECK_FAILS(nereid_tune(kernel, device, NULL, NULL, arguments, 2, configurations, 1, NULL,
                          &tuning, &error),
              NEREID_ERROR_USAGE, "function of a grid");
}

static const char threads[] = "from numba import cuda, float32\n"
                              "\n"
                              "@cuda.jit\n"
                              "def count(x):\n"
                              "    kept = cuda.shared.array(0, float32)\n"
                              "    i = cuda.grid(1)\n"
                              "    kept[cuda.threadIdx.x] = 1\n"
                              "    if i < x.size:\n"
                              "        x[i] += kept[cuda.threadIdx.x]\n";

static void gridOfBlocks(void *user, const nereid_constants *constants, int64_t grid[3]) {
  int64_t block = 0;
  if (nereid_constants_get(constants, "block_x", &block) && block)
    grid[0] = (COUNT + block - 1) / block;
  *(int64_t *)user |= block;
}

static void tunesBlocks(void) {
  nereid_module *module = NULL;
  nereid_kernel *counting = NULL;
  nereid_argument argument = nereid_arg_array("x", array);
  nereid_configuration configurations[3] = {{0}};
  nereid_block blocks[3] = {{{32, 1, 1}, 128}, {{2000, 1, 1}, 8000}, {{128, 0, 0}, 512}};
  nereid_timer_options timer = {0};
  nereid_tuning_options options = {0};
  nereid_tuning *tuning = NULL;
  int64_t seen = 0;
  CHECK_OK(
      nereid_module_from_text(threads, sizeof threads - 1, "threads.py", NULL, &module, &error));
  CHECK_OK(nereid_module_kernel(module, "count", &counting, &error));
  timer.size = sizeof timer;
  timer.warmup_microseconds = timer.repeat_microseconds = 1;
  options.size = sizeof options;
  options.timer = &timer;
  options.keeps_nothing = 1;
  options.blocks = blocks;
  CHECK_OK(nereid_tune(counting, device, gridOfBlocks, &seen, &argument, 1, configurations, 3,
                       &options, &tuning, &error));
  CHECK((seen & 32) && (seen & 128));
  CHECK(nereid_tuning_timing(tuning, 0, NULL) && nereid_tuning_timing(tuning, 2, NULL));
  CHECK(!nereid_tuning_timing(tuning, 1, NULL) && strstr(nereid_tuning_failure(tuning, 1), "2000"));
  nereid_tuning_release(tuning);
  options.blocks = NULL;
  CHECK_FAILS(nereid_tune(counting, device, gridOfBlocks, &seen, &argument, 1, configurations, 1,
                          &options, &tuning, &error),
              NEREID_ERROR_USAGE, "block");
  nereid_kernel_release(counting);
  nereid_module_release(module);
}

int main(void) {
  nereid_module *module = NULL;
  int64_t shape = COUNT;
  CHECK_OK(nereid_device_open("cpu", NULL, &device, &error));
  CHECK_OK(nereid_module_from_text(text, sizeof text - 1, "count.py", NULL, &module, &error));
  CHECK_OK(nereid_module_kernel(module, "count", &kernel, &error));
  CHECK_OK(nereid_array_zeros(device, NEREID_DTYPE_Float32, &shape, 1, &array, &error));
  measures();
  tunes();
  tunesBlocks();
  nereid_array_release(array);
  nereid_kernel_release(kernel);
  nereid_module_release(module);
  nereid_device_release(device);
  return failures != 0;
}
