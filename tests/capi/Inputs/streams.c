/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Work that goes on while the host does, and kernels compiled ahead of time. */
#include "Check.h"

#include <stdlib.h>

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def twice(x, n, BLOCK: tl.constexpr):\n"
                           "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                           "    tl.store(x + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)\n";

static nereid_device *device;
static nereid_kernel *kernel;

enum { COUNT = 1000, BLOCK = 64, LAUNCHES = 5 };

static void streams(void) {
  float values[COUNT], results[COUNT];
  int64_t shape = COUNT;
  nereid_array *array = NULL;
  nereid_stream *first = NULL, *second = NULL;
  nereid_event *before = NULL, *after = NULL;
  nereid_launch *launch = NULL;
  nereid_kernel_resources resources;
  nereid_launch_options options;
  nereid_argument arguments[3];
  double milliseconds = -1;
  int i;
  for (i = 0; i < COUNT; ++i)
    values[i] = (float)i;
  CHECK_OK(nereid_array_empty(device, NEREID_DTYPE_Float32, &shape, 1, &array, &error));
  CHECK_OK(nereid_stream_open(device, &first, &error));
  CHECK_OK(nereid_stream_open(device, &second, &error));
  arguments[0] = nereid_arg_array("x", array);
  arguments[1] = nereid_arg_int64("n", COUNT);
  arguments[2] = nereid_arg_int64("BLOCK", BLOCK);
  CHECK_OK(nereid_kernel_prepare(kernel, device, arguments, 3, &launch, &error));
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.stream = first;
  CHECK_OK(nereid_stream_record(first, &before, &error));
  CHECK_OK(nereid_array_copy_from_on(array, values, sizeof values, first, &error));
  for (i = 0; i < LAUNCHES; ++i)
    CHECK_OK(nereid_launch_run(launch, (COUNT + BLOCK - 1) / BLOCK, 1, 1, &options, &error));
  CHECK_OK(nereid_stream_record(first, &after, &error));
  /* The copy back stands in another stream, which waits. */
  CHECK_OK(nereid_stream_wait(second, after, &error));
  CHECK_OK(nereid_array_copy_to_on(array, results, sizeof results, second, &error));
  CHECK_OK(nereid_stream_synchronize(second, &error));
  CHECK(nereid_event_is_done(after));
  CHECK_OK(nereid_event_wait(after, &error));
  CHECK_OK(nereid_event_milliseconds_since(after, before, &milliseconds, &error));
  CHECK(milliseconds >= 0);
  CHECK(nereid_stream_is_idle(second));
  for (i = 0; i < COUNT; ++i)
    CHECK(results[i] == (float)i * (1 << LAUNCHES));
  CHECK_FAILS(nereid_array_copy_to_on(array, results, 4, second, &error), NEREID_ERROR_USAGE, "4");
  CHECK_FAILS(nereid_stream_wait(NULL, after, &error), NEREID_ERROR_USAGE, "null pointer");
  CHECK_FAILS(nereid_event_wait(NULL, &error), NEREID_ERROR_USAGE, "null pointer");
  /* Released before the work of a launch: the stream keeps what it uses. */
  CHECK_OK(nereid_launch_run(launch, 1, 1, 1, &options, &error));
  CHECK(!nereid_launch_resources(launch, &resources)); /* of a cpu */
  nereid_launch_release(launch);
  nereid_array_release(array);
  nereid_event_release(before);
  nereid_event_release(after);
  nereid_stream_release(first);
  nereid_stream_release(second);
}

static void aheadOfTime(void) {
  static const char signature[] = "x=*f32:16,n=i32,BLOCK=64";
  float value = 21;
  int64_t shape = 1;
  void *copy;
  nereid_artifact *artifact = NULL, *again = NULL, *none = NULL;
  nereid_kernel *compiled = NULL;
  nereid_array *array = NULL;
  nereid_argument arguments[3];
  CHECK_OK(nereid_kernel_compile(kernel, signature, NULL, &artifact, &error));
  CHECK(nereid_artifact_bytes(artifact) > 100);
  copy = malloc(nereid_artifact_bytes(artifact));
  memcpy(copy, nereid_artifact_data(artifact), nereid_artifact_bytes(artifact));
  CHECK_OK(nereid_artifact_from_data(copy, nereid_artifact_bytes(artifact), &again, &error));
  CHECK_FAILS(nereid_artifact_from_data(copy, 50, &none, &error), NEREID_ERROR_ENVIRONMENT, "");
  CHECK(!none);
  free(copy);
  nereid_artifact_release(artifact);
  CHECK_OK(nereid_artifact_kernel(again, &compiled, &error));
  nereid_artifact_release(again);
  CHECK_OK(nereid_array_empty(device, NEREID_DTYPE_Float32, &shape, 1, &array, &error));
  CHECK_OK(nereid_array_copy_from(array, &value, sizeof value, &error));
  arguments[0] = nereid_arg_array("x", array);
  arguments[1] = nereid_arg_int64("n", 1);
  CHECK_OK(nereid_kernel_launch(compiled, device, 1, 1, 1, arguments, 2, NULL, &error));
  CHECK_OK(nereid_array_copy_to(array, &value, sizeof value, &error));
  CHECK(value == 42);
  CHECK_FAILS(nereid_kernel_compile(kernel, "x=*f32", NULL, &none, &error), NEREID_ERROR_SOURCE,
              "'n'");
  nereid_kernel_release(compiled);
  /* For the arguments of a launch. */
  arguments[1] = nereid_arg_int64("n", 3);
  arguments[2] = nereid_arg_int64("BLOCK", 64);
  CHECK_OK(nereid_kernel_compile_for(kernel, arguments, 3, NULL, &artifact, &error));
  CHECK_OK(nereid_artifact_kernel(artifact, &compiled, &error));
  nereid_artifact_release(artifact);
  CHECK_OK(nereid_kernel_launch(compiled, device, 1, 1, 1, arguments, 3, NULL, &error));
  nereid_kernel_release(compiled);
  CHECK_FAILS(nereid_kernel_compile_for(kernel, arguments, 1, NULL, &none, &error),
              NEREID_ERROR_SOURCE, "'n'");
  nereid_array_release(array);
}

struct Seen {
  int tile, ptx;
};

static void see(void *user, const char *stage, const char *detail, double milliseconds,
                const char *shown, size_t length) {
  struct Seen *seen = (struct Seen *)user;
  (void)detail;
  CHECK(milliseconds >= 0 && length > 0 && shown);
  seen->tile += !strcmp(stage, "tile");
  seen->ptx += !strcmp(stage, "ptx") && strstr(shown, ".target sm_80");
}

static void dumps(void) {
  struct Seen seen = {0, 0};
  nereid_compile_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.target = "sm_80";
  CHECK_OK(nereid_kernel_dump(kernel, "x=*f32:16,n=i32,BLOCK=64", "tile,ptx", &options, see, &seen,
                              &error));
  CHECK(seen.tile == 1 && seen.ptx == 1);
  seen.tile = 0;
  CHECK_OK(nereid_kernel_dump(kernel, "x=*f32:16,n=i32,BLOCK=64", "tile,nvptx-assign-layouts",
                              &options, see, &seen, &error));
  CHECK(seen.tile == 1);
  CHECK_FAILS(nereid_kernel_dump(kernel, "x=*f32", "nvptx-no-such", NULL, see, &seen, &error),
              NEREID_ERROR_USAGE, "nvptx-no-such");
  CHECK_FAILS(nereid_kernel_dump(kernel, "x=*f32", "no such", NULL, see, &seen, &error),
              NEREID_ERROR_USAGE, "no such");
  options.flags = 64;
  CHECK_FAILS(nereid_kernel_dump(kernel, "", "tile", &options, see, &seen, &error),
              NEREID_ERROR_USAGE, "64");
}

static void count(void *user, const char *name, const char *description,
                  const char *unavailable_because) {
  *(int *)user += !strcmp(name, "cpu") && *description && !*unavailable_because;
}

int main(void) {
  nereid_module *module = NULL;
  int cpus = 0;
  CHECK_OK(nereid_devices(count, &cpus, &error));
  CHECK(cpus == 1);
  CHECK_OK(nereid_device_open("cpu", NULL, &device, &error));
  CHECK_OK(nereid_module_from_text(text, sizeof text - 1, NULL, NULL, &module, &error));
  CHECK_OK(nereid_module_kernel(module, "twice", &kernel, &error));
  streams();
  aheadOfTime();
  dumps();
  nereid_kernel_release(kernel);
  nereid_module_release(module);
  nereid_device_release(device);
  return failures != 0;
}
