/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A GPU that is lost to a fault: what answers with a number alone says what keeps nobody waiting,
   and what has a status tells of it. */
#include "Check.h"

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def put(out):\n"
                           "    tl.store(out, 1)\n";

int main(void) {
  nereid_device *device = NULL;
  nereid_module *module = NULL;
  nereid_kernel *kernel = NULL;
  nereid_array *array = NULL;
  nereid_launch *launch = NULL;
  nereid_stream *stream = NULL;
  nereid_event *event = NULL;
  nereid_kernel_resources resources;
  nereid_argument out;
  int64_t shape = 1;
  CHECK_OK(nereid_device_open("cuda", NULL, &device, &error));
  CHECK_OK(nereid_module_from_text(text, strlen(text), "put.py", NULL, &module, &error));
  CHECK_OK(nereid_module_kernel(module, "put", &kernel, &error));
  CHECK_OK(nereid_array_zeros(device, NEREID_DTYPE_Int32, &shape, 1, &array, &error));
  out = nereid_arg_array("out", array);
  CHECK_OK(nereid_kernel_prepare(kernel, device, &out, 1, &launch, &error));
  CHECK(nereid_launch_resources(launch, &resources) && resources.threads > 0);
  CHECK_OK(nereid_stream_open(device, &stream, &error));
  CHECK_OK(nereid_stream_record(stream, &event, &error));
  /* The driver answers the first of these with a fault. */
  CHECK(nereid_stream_is_idle(stream));
  CHECK(nereid_stream_is_idle(stream));
  CHECK(nereid_event_is_done(event));
  CHECK(!nereid_launch_resources(launch, &resources));
  CHECK_FAILS(nereid_stream_synchronize(stream, &error), NEREID_ERROR_ENVIRONMENT,
              "cannot be used any more");
  CHECK_FAILS(nereid_event_wait(event, &error), NEREID_ERROR_ENVIRONMENT,
              "cannot be used any more");
  nereid_event_release(event);
  nereid_stream_release(stream);
  nereid_launch_release(launch);
  nereid_array_release(array);
  nereid_kernel_release(kernel);
  nereid_module_release(module);
  nereid_device_release(device);
  return failures != 0;
}
