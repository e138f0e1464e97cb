/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What fails: with a status, a message and findings, and never otherwise. */
#include "Check.h"

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def helper(out):\n"
                           "    tl.store(out + tl.arang(0, 8), 1)\n"
                           "\n"
                           "@triton.jit\n"
                           "def misspelt(out):\n"
                           "    helper(out)\n"
                           "\n"
                           "@triton.jit\n"
                           "def outside(out, BLOCK: tl.constexpr):\n"
                           "    tl.store(out + tl.arange(0, BLOCK), 1)\n";

static nereid_device *device;
static nereid_module *module;
static nereid_array *array;
static nereid_kernel *misspelt, *outside;

/* A mistake in the text can be read as data, after everything else is gone. */
static void findings(void) {
  nereid_error *error = NULL;
  nereid_argument out = nereid_arg_array("out", array);
  const nereid_finding *finding;
  CHECK(nereid_kernel_launch(misspelt, device, 1, 1, 1, &out, 1, NULL, &error) ==
        NEREID_ERROR_SOURCE);
  CHECK(strstr(nereid_error_message(error), "bad.py:106:"));
  CHECK(strstr(nereid_error_message(error), "^"));
  CHECK(nereid_error_finding_count(error) == 1);
  CHECK(!nereid_error_finding(error, 1));
  finding = nereid_error_finding(error, 0);
  CHECK(finding && !strcmp(finding->id, "unknown_attribute"));
  CHECK(finding && strstr(finding->text, "'arang'"));
  CHECK(finding && !strcmp(finding->place.file, "bad.py"));
  CHECK(finding && finding->place.line == 106 && finding->place.column > 1);
  CHECK(finding && finding->note_count == 1 && strstr(finding->notes[0].text, "arange"));
  CHECK(finding && finding->call_count == 1 && finding->calls[0].line == 110);
  nereid_error_release(error);
}

static void checkedDevice(void) {
  nereid_device *check = NULL;
  nereid_error *error = NULL;
  nereid_argument arguments[2];
  const nereid_finding *finding;
  CHECK_OK(nereid_device_open("check", NULL, &check, &error));
  arguments[0] = nereid_arg_array("out", array);
  arguments[1] = nereid_arg_int64("BLOCK", 16);
  CHECK(nereid_kernel_launch(outside, check, 1, 1, 1, arguments, 2, NULL, &error) ==
        NEREID_ERROR_CHECKED);
  finding = nereid_error_finding(error, 0);
  CHECK(finding && !strcmp(finding->id, "out_of_bounds") && finding->place.line == 114);
  CHECK(finding && !strcmp(finding->array, "out") && finding->index == 8 && finding->lane == 8);
  CHECK(finding && finding->count == 8 && !finding->is_warning);
  CHECK(finding && finding->has_program && finding->program[0] == 0);
  nereid_error_release(error);
  nereid_device_release(check);
}

static void grids(void) {
  nereid_argument arguments[2];
  nereid_launch *launch = NULL;
  int64_t value = 0;
  arguments[0] = nereid_arg_array("out", array);
  arguments[1] = nereid_arg_int64("BLOCK", 8);
  CHECK_OK(nereid_kernel_launch(outside, device, 0, 1, 1, arguments, 2, NULL, &error));
  CHECK_OK(nereid_kernel_prepare(outside, device, arguments, 2, &launch, &error));
  CHECK_FAILS(nereid_launch_run(launch, 1, -1, 1, NULL, &error), NEREID_ERROR_USAGE, "grid");
  CHECK_FAILS(nereid_launch_run(launch, 1, 1, 65536, NULL, &error), NEREID_ERROR_USAGE, "grid");
  CHECK_FAILS(nereid_launch_constant(launch, "BLOK", &value, &error), NEREID_ERROR_USAGE, "BLOCK");
  CHECK_FAILS(nereid_launch_constant(launch, NULL, &value, &error), NEREID_ERROR_USAGE, "null");
  CHECK_FAILS(nereid_launch_constant(launch, "BLOCK", NULL, &error), NEREID_ERROR_USAGE, "null");
  nereid_launch_release(launch);
}

static void arguments(void) {
  nereid_argument given[2];
  nereid_launch *launch = (nereid_launch *)&launch; /* anything but null: a failure clears it */
  given[0] = nereid_arg_array("out", array);
  given[1] = nereid_arg_int64("BLOCK", 8);
  CHECK_FAILS(nereid_kernel_prepare(outside, device, given, 1, &launch, &error),
              NEREID_ERROR_SOURCE, "BLOCK");
  CHECK(!launch);
  given[1] = nereid_arg_int64("BLOK", 8);
  CHECK_FAILS(nereid_kernel_prepare(outside, device, given, 2, &launch, &error),
              NEREID_ERROR_SOURCE, "BLOK");
  given[1].name = NULL;
  CHECK_FAILS(nereid_kernel_prepare(outside, device, given, 2, &launch, &error), NEREID_ERROR_USAGE,
              "null pointer is no name of an argument");
  given[1] = nereid_arg_int64("BLOCK", 8);
  given[1].kind = 99;
  CHECK_FAILS(nereid_kernel_prepare(outside, device, given, 2, &launch, &error), NEREID_ERROR_USAGE,
              "kind 99");
  given[1] = nereid_arg_string("BLOCK", NULL);
  CHECK_FAILS(nereid_kernel_prepare(outside, device, given, 2, &launch, &error), NEREID_ERROR_USAGE,
              "null");
  given[1] = nereid_arg_dtype("BLOCK", NEREID_DTYPE_COUNT);
  CHECK_FAILS(nereid_kernel_prepare(outside, device, given, 2, &launch, &error), NEREID_ERROR_USAGE,
              "is no element type");
  CHECK_FAILS(nereid_kernel_prepare(outside, device, NULL, 2, &launch, &error), NEREID_ERROR_USAGE,
              "null pointer is no list of arguments");
  given[0] = nereid_arg_array("out", NULL);
  CHECK_FAILS(nereid_kernel_prepare(outside, device, given, 2, &launch, &error), NEREID_ERROR_USAGE,
              "null pointer is no array");
  nereid_launch_options options = {0};
  options.size = sizeof options;
  options.reserved = 1;
  CHECK_FAILS(nereid_kernel_launch(outside, device, 1, 1, 1, given, 2, &options, &error),
              NEREID_ERROR_USAGE, "reserved is not 0");
}

static void arrays(void) {
  const int64_t shape[1] = {8}, negative[1] = {-1}, huge[1] = {INT64_C(1) << 50};
  int32_t memory[9] = {0};
  nereid_array *made = (nereid_array *)memory; /* as above */
  CHECK_FAILS(nereid_array_zeros(device, NEREID_DTYPE_COUNT, shape, 1, &made, &error),
              NEREID_ERROR_USAGE, "is no element type");
  CHECK(!made);
  CHECK_FAILS(nereid_array_zeros(device, -1, shape, 1, &made, &error), NEREID_ERROR_USAGE,
              "-1 is no element type");
  CHECK_FAILS(nereid_array_zeros(device, 0, negative, 1, &made, &error), NEREID_ERROR_USAGE,
              "negative");
  CHECK_FAILS(nereid_array_zeros(device, 0, NULL, 1, &made, &error), NEREID_ERROR_USAGE,
              "null pointer is no shape");
  CHECK_FAILS(nereid_array_zeros(device, 0, huge, 1, &made, &error), NEREID_ERROR_ENVIRONMENT,
              "memory");
  CHECK_FAILS(nereid_array_borrow(device, NULL, NEREID_DTYPE_Int32, shape, NULL, 1, &made, &error),
              NEREID_ERROR_USAGE, "null");
  CHECK_FAILS(nereid_array_borrow(device, (char *)memory + 1, NEREID_DTYPE_Int32, shape, NULL, 1,
                                  &made, &error),
              NEREID_ERROR_USAGE, "multiple of 4");
  CHECK_FAILS(nereid_array_copy_from(array, memory, 31, &error), NEREID_ERROR_USAGE,
              "31 bytes given for an array of 32");
  CHECK_FAILS(nereid_array_copy_to(array, memory, 36, &error), NEREID_ERROR_USAGE, "36 bytes");
  CHECK_FAILS(nereid_array_copy_to(array, NULL, 32, &error), NEREID_ERROR_USAGE, "null");
  CHECK_FAILS(nereid_array_to_doubles(array, NULL, 8, &error), NEREID_ERROR_USAGE, "null");
  CHECK_FAILS(nereid_array_zeros(device, 0, shape, 1, NULL, &error), NEREID_ERROR_USAGE, "null");
}

/* A caller compiled against an older header, against a newer one, and one that forgot the size. */
static void sizes(void) {
  struct {
    nereid_device_options known;
    uint64_t unknown;
  } newer = {{0}, 0};
  nereid_device_options older = {.size = sizeof(size_t), .threads = 5000};
  nereid_device *opened = NULL;
  newer.known.size = sizeof newer;
  CHECK_OK(nereid_device_open("cpu", &newer.known, &opened, &error));
  nereid_device_release(opened);
  newer.unknown = 1;
  CHECK_FAILS(nereid_device_open("cpu", &newer.known, &opened, &error), NEREID_ERROR_USAGE,
              "more than this version of Nereid knows");
  CHECK_OK(nereid_device_open("cpu", &older, &opened, &error));
  nereid_device_release(opened);
  older.size = sizeof older;
  CHECK_FAILS(nereid_device_open("cpu", &older, &opened, &error), NEREID_ERROR_USAGE,
              "5000 threads");
  older.size = 0;
  CHECK_FAILS(nereid_device_open("cpu", &older, &opened, &error), NEREID_ERROR_USAGE, "size is 0");
  older.size = sizeof older;
  older.threads = 0;
  older.flags = 0x80000000u;
  CHECK_FAILS(nereid_device_open("cpu", &older, &opened, &error), NEREID_ERROR_USAGE, "flags");
}

static void modules(void) {
  nereid_module *made = NULL;
  nereid_kernel *kernel = NULL;
  nereid_device *opened = NULL;
  nereid_dtype type = 0;
  CHECK_FAILS(nereid_module_load("/nowhere/kernel.py", NULL, &made, &error),
              NEREID_ERROR_ENVIRONMENT, "/nowhere/kernel.py");
  CHECK_FAILS(nereid_module_load(NULL, NULL, &made, &error), NEREID_ERROR_USAGE, "null");
  CHECK_FAILS(nereid_module_from_text(NULL, 3, NULL, NULL, &made, &error), NEREID_ERROR_USAGE,
              "null");
  CHECK_FAILS(nereid_module_from_text("def (", 5, NULL, NULL, &made, &error), NEREID_ERROR_SOURCE,
              "<text>:1:");
  CHECK_FAILS(nereid_module_kernel(module, "outsid", &kernel, &error), NEREID_ERROR_SOURCE,
              "outside");
  CHECK_FAILS(nereid_module_kernel(NULL, "outside", &kernel, &error), NEREID_ERROR_USAGE, "null");
  CHECK_FAILS(nereid_device_open("gpu9", NULL, &opened, &error), NEREID_ERROR_USAGE, "gpu9");
  CHECK_FAILS(nereid_dtype_parse("float33", &type, &error), NEREID_ERROR_USAGE, "float33");
  /* More than a process can address. */
  CHECK_FAILS(nereid_module_from_text("", (size_t)1 << 48, NULL, NULL, &made, &error),
              NEREID_ERROR_NO_MEMORY, "out of memory");
  /* Only the status is wanted. */
  CHECK(nereid_module_load(NULL, NULL, &made, NULL) == NEREID_ERROR_USAGE);
}

static void nothing(void) {
  CHECK(nereid_error_status(NULL) == NEREID_OK && !nereid_error_message(NULL));
  CHECK(!nereid_error_finding_count(NULL) && !nereid_error_finding(NULL, 0));
  CHECK(!nereid_device_name(NULL) && !nereid_device_threads(NULL));
  CHECK(!nereid_array_data(NULL) && !nereid_array_shape(NULL) && !nereid_array_strides(NULL));
  CHECK(!nereid_array_rank(NULL) && !nereid_array_size(NULL) && !nereid_array_bytes(NULL));
  CHECK(!nereid_array_dtype(NULL) && !nereid_module_kernel_count(NULL));
  CHECK(!nereid_module_kernel_name(NULL, 0) && !nereid_kernel_name(NULL));
  CHECK(!nereid_kernel_parameter_count(NULL) && !nereid_kernel_parameter_name(NULL, 0));
  CHECK(!nereid_kernel_parameter_is_constexpr(NULL, 0));
  CHECK(!nereid_kernel_parameter_has_default(NULL, 0));
  CHECK(nereid_launch_compile_milliseconds(NULL) == 0);
  CHECK(!nereid_dtype_name(-1) && !nereid_dtype_size(NEREID_DTYPE_COUNT));
  nereid_error_release(NULL);
  nereid_device_release(NULL);
  nereid_array_release(NULL);
  nereid_module_release(NULL);
  nereid_kernel_release(NULL);
  nereid_launch_release(NULL);
}

int main(void) {
  const int64_t shape[1] = {8};
  nereid_module_options options = {.size = sizeof options, .first_line = 101};
  CHECK_OK(nereid_device_open("cpu", NULL, &device, &error));
  CHECK_OK(nereid_array_zeros(device, NEREID_DTYPE_Int32, shape, 1, &array, &error));
  CHECK_OK(nereid_module_from_text(text, sizeof text - 1, "bad.py", &options, &module, &error));
  CHECK_OK(nereid_module_kernel(module, "misspelt", &misspelt, &error));
  CHECK_OK(nereid_module_kernel(module, "outside", &outside, &error));
  findings();
  checkedDevice();
  grids();
  arguments();
  arrays();
  sizes();
  modules();
  nothing();
  nereid_kernel_release(outside);
  nereid_kernel_release(misspelt);
  nereid_module_release(module);
  nereid_array_release(array);
  nereid_device_release(device);
  printf("%d failures\n", failures);
  return failures != 0;
}
