/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds two vectors through the C interface. */
#include <nereid-c/nereid.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kernel_text[] =
    "import triton\n"
    "import triton.language as tl\n"
    "\n"
    "@triton.jit\n"
    "def add(x, y, out, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    mask = i < n\n"
    "    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)\n";

enum { count = 1000, block = 256 };

/* Every failure has a message; here it ends the program. */
static void require(nereid_status status, nereid_error *error) {
  if (status == NEREID_OK)
    return;
  fprintf(stderr, "%s\n", nereid_error_message(error));
  nereid_error_release(error);
  exit(1);
}

int main(void) {
  nereid_error *error = NULL;
  nereid_device *device = NULL;
  require(nereid_device_open("cpu", NULL, &device, &error), error);

  nereid_module *module = NULL;
  nereid_kernel *add = NULL;
  require(
      nereid_module_from_text(kernel_text, strlen(kernel_text), "add.py", NULL, &module, &error),
      error);
  require(nereid_module_kernel(module, "add", &add, &error), error);

  /* The program's own memory, and an array of the device's. */
  float x[count], y[count], result[count];
  for (int i = 0; i < count; ++i) {
    x[i] = (float)i;
    y[i] = 0.5f;
  }
  const int64_t shape[] = {count};
  nereid_array *x_array = NULL, *y_array = NULL, *out_array = NULL;
  require(nereid_array_borrow(device, x, NEREID_DTYPE_Float32, shape, NULL, 1, &x_array, &error),
          error);
  require(nereid_array_borrow(device, y, NEREID_DTYPE_Float32, shape, NULL, 1, &y_array, &error),
          error);
  require(nereid_array_empty(device, NEREID_DTYPE_Float32, shape, 1, &out_array, &error), error);

  const nereid_argument arguments[] = {
      nereid_arg_array("x", x_array),     nereid_arg_array("y", y_array),
      nereid_arg_array("out", out_array), nereid_arg_int64("n", count),
      nereid_arg_int64("BLOCK", block),
  };
  require(nereid_kernel_launch(add, device, (count + block - 1) / block, 1, 1, arguments,
                               sizeof arguments / sizeof *arguments, NULL, &error),
          error);
  require(nereid_array_copy_to(out_array, result, sizeof result, &error), error);

  int wrong = 0;
  for (int i = 0; i < count; ++i)
    wrong += result[i] != x[i] + y[i];
  printf("%g + %g = %g, %d of %d wrong\n", x[count - 1], y[count - 1], result[count - 1], wrong,
         count);

  nereid_array_release(out_array);
  nereid_array_release(y_array);
  nereid_array_release(x_array);
  nereid_kernel_release(add);
  nereid_module_release(module);
  nereid_device_release(device);
  return wrong != 0;
}
