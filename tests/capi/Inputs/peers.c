/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A launch on one GPU with an array of another; the third GPU has no peers. */
#include "Check.h"

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def copy(x, out):\n"
                           "    tl.store(out, tl.load(x))\n";

int main(void) {
  nereid_device *devices[3] = {NULL, NULL, NULL};
  nereid_array *arrays[3] = {NULL, NULL, NULL};
  nereid_stream *streams[2] = {NULL, NULL};
  nereid_event *event = NULL;
  nereid_module *module = NULL;
  nereid_kernel *kernel = NULL;
  nereid_launch *launch = NULL;
  nereid_launch_options options = {sizeof options};
  nereid_argument arguments[2];
  int64_t shape = 1;
  const char *names[3] = {"cuda:0", "cuda:1", "cuda:2"};
  int i;
  for (i = 0; i < 3; ++i) {
    CHECK_OK(nereid_device_open(names[i], NULL, &devices[i], &error));
    CHECK_OK(nereid_array_zeros(devices[i], NEREID_DTYPE_Int32, &shape, 1, &arrays[i], &error));
  }
  for (i = 0; i < 2; ++i)
    CHECK_OK(nereid_stream_open(devices[i], &streams[i], &error));
  CHECK_OK(nereid_module_from_text(text, strlen(text), "copy.py", NULL, &module, &error));
  CHECK_OK(nereid_module_kernel(module, "copy", &kernel, &error));
  arguments[0] = nereid_arg_array("x", arrays[0]);
  arguments[1] = nereid_arg_array("out", arrays[1]);
  options.stream = streams[0];
  CHECK_OK(nereid_kernel_launch(kernel, devices[0], 1, 1, 1, arguments, 2, &options, &error));
  CHECK_OK(nereid_stream_record(streams[0], &event, &error));
  CHECK_OK(nereid_stream_wait(streams[1], event, &error));
  CHECK_OK(nereid_stream_synchronize(streams[1], &error));
  CHECK(nereid_event_is_done(event));
  arguments[1] = nereid_arg_array("out", arrays[2]);
  CHECK_FAILS(nereid_kernel_prepare(kernel, devices[0], arguments, 2, &launch, &error),
              NEREID_ERROR_USAGE,
              "argument 'out' lies in cuda:2 memory, which device 'cuda:0' cannot use: the driver");
  nereid_event_release(event);
  for (i = 0; i < 2; ++i)
    nereid_stream_release(streams[i]);
  nereid_kernel_release(kernel);
  nereid_module_release(module);
  for (i = 0; i < 3; ++i) {
    nereid_array_release(arrays[i]);
    nereid_device_release(devices[i]);
  }
  return failures != 0;
}
