/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What works: values go in and come out, and handles may be released in any order. */
#include "Check.h"

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def scale(x, out, n, factor, stride, dtype: tl.constexpr,\n"
                           "          BLOCK: tl.constexpr = 32):\n"
                           "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                           "    value = tl.load(x + i * stride, mask=i < n).to(dtype) * factor\n"
                           "    tl.store(out + i, value, mask=i < n)\n"
                           "\n"
                           "@triton.jit\n"
                           "def hello(n):\n"
                           "    tl.device_print('n is', n)\n"
                           "\n"
                           "@triton.jit\n"
                           "def defined(out):\n"
                           "    tl.store(out, SECRET)\n";

static nereid_device *device;
static nereid_module *module;

static nereid_kernel *kernel(const char *name) {
  nereid_kernel *made = NULL;
  CHECK_OK(nereid_module_kernel(module, name, &made, &error));
  return made;
}

static void types(void) {
  nereid_dtype type;
  for (type = 0; type < NEREID_DTYPE_COUNT; ++type) {
    nereid_dtype parsed = -1;
    CHECK_OK(nereid_dtype_parse(nereid_dtype_name(type), &parsed, &error));
    CHECK(parsed == type);
    CHECK(nereid_dtype_size(type) >= 1 && nereid_dtype_size(type) <= 8);
  }
  CHECK(!strcmp(nereid_dtype_name(NEREID_DTYPE_Float32), "float32"));
  CHECK(nereid_dtype_size(NEREID_DTYPE_Int16) == 2);
  CHECK(nereid_dtype_size(NEREID_DTYPE_Int1) == 1);
}

static void arrays(void) {
  const int64_t shape[2] = {3, 5}, strides[2] = {7, 1};
  float values[15], back[15];
  double doubles[15];
  int i;
  nereid_array *array = NULL, *borrowed = NULL, *scalar = NULL;
  CHECK_OK(nereid_array_zeros(device, NEREID_DTYPE_Float32, shape, 2, &array, &error));
  CHECK(nereid_array_dtype(array) == NEREID_DTYPE_Float32 && nereid_array_rank(array) == 2);
  CHECK(!memcmp(nereid_array_shape(array), shape, sizeof shape));
  CHECK(nereid_array_strides(array)[0] == 5 && nereid_array_strides(array)[1] == 1);
  CHECK(nereid_array_size(array) == 15 && nereid_array_bytes(array) == sizeof values);
  CHECK_OK(nereid_array_copy_to(array, back, sizeof back, &error));
  for (i = 0; i < 15; ++i) {
    CHECK(back[i] == 0);
    values[i] = 0.5f * (float)i - 3;
  }
  CHECK_OK(nereid_array_copy_from(array, values, sizeof values, &error));
  CHECK(!memcmp(nereid_array_data(array), values, sizeof values));
  CHECK_OK(nereid_array_copy_to(array, back, sizeof back, &error));
  CHECK(!memcmp(back, values, sizeof values));
  CHECK_OK(nereid_array_to_doubles(array, doubles, 15, &error));
  for (i = 0; i < 15; ++i)
    CHECK(doubles[i] == (double)values[i]);
  nereid_array_release(array);

  float memory[21];
  CHECK_OK(nereid_array_borrow(device, memory, NEREID_DTYPE_Float32, shape, strides, 2, &borrowed,
                               &error));
  CHECK(nereid_array_data(borrowed) == memory);
  CHECK(!memcmp(nereid_array_strides(borrowed), strides, sizeof strides));
  CHECK_FAILS(nereid_array_copy_from(borrowed, values, sizeof values, &error), NEREID_ERROR_USAGE,
              "contiguous");
  nereid_array_release(borrowed);

  CHECK_OK(nereid_array_empty(device, NEREID_DTYPE_Int64, NULL, 0, &scalar, &error));
  CHECK(nereid_array_size(scalar) == 1 && nereid_array_rank(scalar) == 0);
  nereid_array_release(scalar);
}

/* Every second of `n` int32 values, times 2.5, over two programs and a bit. */
static void launches(void) {
  enum { n = 77, stride = 2 };
  const int64_t shape[1] = {n};
  int32_t x[n * stride];
  double out[n];
  int i, pass;
  int64_t block = 0;
  nereid_array *input = NULL, *output = NULL;
  nereid_kernel *scale = kernel("scale");
  nereid_launch *launch = NULL;
  const int64_t xShape[1] = {n}, xStrides[1] = {stride};
  for (i = 0; i < n * stride; ++i)
    x[i] = i * i - 1000;
  CHECK_OK(nereid_array_borrow(device, x, NEREID_DTYPE_Int32, xShape, xStrides, 1, &input, &error));
  CHECK_OK(nereid_array_zeros(device, NEREID_DTYPE_Float64, shape, 1, &output, &error));
  const nereid_argument arguments[] = {
      nereid_arg_array("x", input),
      nereid_arg_array("out", output),
      nereid_arg_int64("n", n),
      nereid_arg_double("factor", 2.5),
      nereid_arg_uint64("stride", stride),
      nereid_arg_dtype("dtype", NEREID_DTYPE_Float64),
  };
  CHECK_OK(nereid_kernel_prepare(scale, device, arguments, 6, &launch, &error));
  CHECK(nereid_launch_compile_milliseconds(launch) > 0);
  CHECK_OK(nereid_launch_constant(launch, "BLOCK", &block, &error));
  CHECK(block == 32);
  nereid_launch_release(launch);
  /* Tuned; a CPU takes no notice, but of what no GPU could do. */
  const nereid_launch_options tuned = {.size = sizeof tuned, .warps = 8, .pipeline_stages = 2},
                              wrong = {.size = sizeof wrong, .warps = 3};
  CHECK_FAILS(nereid_kernel_prepare_tuned(scale, device, arguments, 6, &wrong, &launch, &error),
              NEREID_ERROR_USAGE, "a power of two");
  CHECK_OK(nereid_kernel_prepare_tuned(scale, device, arguments, 6, &tuned, &launch, &error));
  /* A launch keeps what it needs. */
  nereid_kernel_release(scale);
  nereid_array_release(input);
  for (pass = 0; pass < 2; ++pass) {
    x[2] += pass;
    CHECK_OK(nereid_launch_run(launch, (n + block - 1) / block, 1, 1, NULL, &error));
    CHECK_OK(nereid_array_to_doubles(output, out, n, &error));
    for (i = 0; i < n; ++i)
      CHECK(out[i] == 2.5 * x[i * stride]);
  }
  nereid_launch_release(launch);
  nereid_array_release(output);
}

struct Printed {
  char text[200];
  size_t length;
};

static void collect(void *user, const char *lines, size_t length) {
  struct Printed *printed = user;
  if (printed->length + length < sizeof printed->text) {
    memcpy(printed->text + printed->length, lines, length);
    printed->length += length;
  }
}

static void printing(void) {
  struct Printed printed = {"", 0};
  nereid_kernel *hello = kernel("hello");
  nereid_argument n = nereid_arg_int64("n", 42);
  nereid_launch_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.print = collect;
  options.print_user = &printed;
  CHECK_OK(nereid_kernel_launch(hello, device, 1, 1, 1, &n, 1, &options, &error));
  CHECK(strstr(printed.text, "n is") && strstr(printed.text, "42"));
  nereid_kernel_release(hello);
}

static void moduleOptions(void) {
  nereid_module *other = NULL;
  nereid_kernel *defined = NULL;
  nereid_array *out = NULL;
  nereid_argument secret = nereid_arg_int64("SECRET", 1234567), argument;
  const char *paths[] = {"/nowhere"};
  int32_t value = 0;
  nereid_module_options options = {.size = sizeof options};
  options.definitions = &secret;
  options.definition_count = 1;
  options.paths = paths;
  options.path_count = 1;
  CHECK_OK(nereid_module_from_text(text, sizeof text - 1, NULL, &options, &other, &error));
  CHECK_OK(nereid_module_kernel(other, "defined", &defined, &error));
  nereid_module_release(other);
  CHECK_OK(nereid_array_empty(device, NEREID_DTYPE_Int32, NULL, 0, &out, &error));
  argument = nereid_arg_array("out", out);
  CHECK_OK(nereid_kernel_launch(defined, device, 1, 1, 1, &argument, 1, NULL, &error));
  CHECK_OK(nereid_array_copy_to(out, &value, sizeof value, &error));
  CHECK(value == 1234567);
  nereid_array_release(out);
  nereid_kernel_release(defined);
}

static void names(void) {
  nereid_kernel *scale = kernel("scale");
  CHECK(nereid_module_kernel_count(module) == 3);
  CHECK(!strcmp(nereid_module_kernel_name(module, 1), "hello"));
  CHECK(!nereid_module_kernel_name(module, 3));
  CHECK(!strcmp(nereid_kernel_name(scale), "scale"));
  CHECK(nereid_kernel_parameter_count(scale) == 7);
  CHECK(!strcmp(nereid_kernel_parameter_name(scale, 3), "factor"));
  CHECK(!nereid_kernel_parameter_is_constexpr(scale, 3));
  CHECK(nereid_kernel_parameter_is_constexpr(scale, 5));
  CHECK(!nereid_kernel_parameter_has_default(scale, 5));
  CHECK(nereid_kernel_parameter_has_default(scale, 6));
  CHECK(!nereid_kernel_parameter_name(scale, 7));
  nereid_kernel_release(scale);
}

int main(void) {
  nereid_device_options options = {.size = sizeof options, .threads = 2};
  CHECK(!strncmp(nereid_version(), "0.", 2));
  CHECK_OK(nereid_device_open("cpu", &options, &device, &error));
  CHECK(!strcmp(nereid_device_name(device), "cpu") && nereid_device_threads(device) == 2);
  CHECK_OK(nereid_module_from_text(text, sizeof text - 1, "scale.py", NULL, &module, &error));
  types();
  arrays();
  launches();
  printing();
  moduleOptions();
  names();
  nereid_module_release(module);
  nereid_device_release(device);
  printf("%d failures\n", failures);
  return failures != 0;
}
