/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Nereid's C interface, for C99 and for whatever can call C: open a device, make arrays, load
 * kernels written in Triton's syntax, launch them over a grid, read the results.
 *
 *   nereid_device *device = NULL;
 *   nereid_error *error = NULL;
 *   if (nereid_device_open("cpu", NULL, &device, &error) != NEREID_OK) {
 *     fprintf(stderr, "%s\n", nereid_error_message(error));
 *     nereid_error_release(error);
 *   }
 *
 * examples/vector_add.c is a whole program. What things mean stands in nereid/nereid.h, which this
 * interface wraps.
 *
 * Failures. A function that can fail returns a nereid_status and takes, last, where to put a
 * nereid_error; NULL there means that only the status is wanted. After success *error is NULL.
 * After failure it is an error that the caller releases, and what the function would have made is
 * NULL. A null pointer where something is needed is an ordinary failure, NEREID_ERROR_USAGE. No C++
 * exception leaves this interface, and a callback must not leave through it by longjmp.
 *
 * Ownership. Whoever makes a handle releases it once, in any order: a launch keeps its arrays and
 * its device alive, an array its memory, a kernel its module. Releasing NULL does nothing. What is
 * passed in (strings, shapes, arguments, options) is copied and may go when the call returns. Only
 * nereid_array_borrow keeps the caller's pointer. Strings and structures that a handle gives live
 * as long as the handle.
 *
 * Threads. Any function may be called from several threads at once, with the same handles, except
 * that nobody may use a handle while it is released, and two threads must not write one array
 * together.
 *
 * Accessors, which return what they read and not a status, give 0 or NULL for a null handle and for
 * an index out of range.
 *
 * The binary interface. Numbers of statuses, argument kinds and element types keep their meaning
 * while the major and minor version stay. Option structures begin with their size and may grow.
 */
#ifndef NEREID_C_NEREID_H
#define NEREID_C_NEREID_H

#include "nereid/Export.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
NEREID_API const char *nereid_version(void);

/*** Errors ***************************************************************************************/

/* What went wrong, and who can mend it. */
typedef int32_t nereid_status;
enum {
  NEREID_OK = 0,
  NEREID_ERROR_SOURCE = 1, /* the kernel's text: the message has file, line, column and caret */
  NEREID_ERROR_USAGE = 2,  /* how the kernel was launched, or arguments to this library */
  NEREID_ERROR_ENVIRONMENT = 3, /* a file, the operating system or a driver */
  NEREID_ERROR_CHECKED = 4,     /* the checked device found the kernel doing something wrong */
  NEREID_ERROR_INTERNAL = 5,    /* a bug in Nereid: the message names a file that shows it again */
  NEREID_ERROR_NO_MEMORY = 6    /* the process has no memory left */
};

/* A place in a kernel's text. Lines and columns count from 1, columns in bytes; 0 means none. */
typedef struct nereid_place {
  const char *file;
  uint32_t line, column;
} nereid_place;

typedef struct nereid_note {
  const char *text;
  nereid_place place;
} nereid_note;

/* One thing that is wrong with a kernel. Made by the library alone; may grow at its end. */
typedef struct nereid_finding {
  const char *id; /* "out_of_bounds": which kind of mistake it is */
  const char *text;
  nereid_place place;
  const nereid_note *notes;
  size_t note_count;
  const nereid_place *calls; /* the calls that led there, the innermost first */
  size_t call_count;
  /* What a checked run adds. The first occurrence is the one described. */
  uint32_t is_warning; /* a warning alone fails no run */
  uint32_t has_program;
  uint32_t program[3];
  uint32_t reserved;
  uint64_t count;      /* how often it happened */
  int64_t lane;        /* of the tile, row-major; -1: it is about no lane */
  const char *array;   /* the kernel's parameter; "": it is about none */
  int64_t index;       /* the element, which may lie outside */
  uint32_t has_thread; /* of a kernel of threads, whose `program` is the block */
  uint32_t thread[3];  /* in the block */
} nereid_finding;

typedef struct nereid_error nereid_error;

NEREID_API nereid_status nereid_error_status(const nereid_error *error);
/* The whole report, as the command line prints it. */
NEREID_API const char *nereid_error_message(const nereid_error *error);
/* Of NEREID_ERROR_SOURCE and NEREID_ERROR_CHECKED, what the message says, as data. */
NEREID_API size_t nereid_error_finding_count(const nereid_error *error);
NEREID_API const nereid_finding *nereid_error_finding(const nereid_error *error, size_t index);
NEREID_API void nereid_error_release(nereid_error *error);

/*** Element types ********************************************************************************/

/* The type of one array element: NEREID_DTYPE_Float32, NEREID_DTYPE_Int64, ... */
typedef int32_t nereid_dtype;
enum {
#define DTYPE(enumerator, ...) NEREID_DTYPE_##enumerator,
#include "nereid/dtypes.def"
  NEREID_DTYPE_COUNT
};

/* "float32"; NULL if there is no such type. */
NEREID_API const char *nereid_dtype_name(nereid_dtype type);
/* Bytes that one element takes in memory; 0 if there is no such type. */
NEREID_API size_t nereid_dtype_size(nereid_dtype type);
/* Reads "float32" and "f32". */
NEREID_API nereid_status nereid_dtype_parse(const char *text, nereid_dtype *type,
                                            nereid_error **error);

/*** Devices **************************************************************************************/

/* Something that runs kernels: "cpu" compiles them and looks at no bounds, "check" interprets them
   and reports mistakes. */
typedef struct nereid_device nereid_device;

enum {
  NEREID_DEVICE_NO_DISK_CACHE = 1, /* compiled kernels are not kept for the next process */
  /* What the check device looks for beside what it always does (docs/checking.md). */
  NEREID_DEVICE_REFUSE_BROKEN_PROMISES = 2, /* a false multiple_of fails the run */
  NEREID_DEVICE_FIND_NONFINITE = 4,         /* where an infinity or NaN began */
  NEREID_DEVICE_COMPARE_ORDERS = 8,         /* runs twice, in two orders, and compares */
  /* A launch of a compiled kernel in which an assertion does not hold fails. */
  NEREID_DEVICE_CHECK_ASSERTS = 16
};

/* A name of the function that has stopped, and what it was given last. Pointers are shown as
 * addresses. */
typedef struct nereid_variable {
  const char *name;
  /* What is known while compiling, as the language writes it: 64, "text", tl.float32; then the rest
     says nothing. NULL for what programs compute. */
  const char *constant;
  nereid_dtype type;
  uint32_t rank; /* 0: a scalar */
  const int64_t *shape;
  const void *elements; /* row-major */
} nereid_variable;

/* Where a program of a checked run has stopped, before what stands there is done. Lives as long as
   the call. Made by the library alone; may grow at its end. */
typedef struct nereid_stop {
  nereid_place place;
  uint32_t program[3];
  uint32_t reserved;
  const nereid_variable *variables;
  size_t variable_count;
  uint32_t has_thread; /* of a kernel of threads, whose `program` is the block */
  uint32_t thread[3];  /* in the block */
} nereid_stop;

/* What a stopped program is to do. */
typedef int32_t nereid_resume;
enum {
  NEREID_RESUME_CONTINUE = 0, /* go on to the next breakpoint */
  NEREID_RESUME_STEP = 1,     /* to its next line */
  NEREID_RESUME_FINISH = 2    /* to the end of all programs without a stop */
};
typedef nereid_resume (*nereid_stopped_callback)(void *user, const nereid_stop *stop);
typedef void (*nereid_warning_callback)(void *user, const nereid_finding *finding);

typedef struct nereid_device_options {
  size_t size;      /* sizeof(nereid_device_options) */
  const char *cpu;  /* the CPU to compile for, by LLVM's name; NULL: NEREID_CPU says, or this one */
  uint32_t threads; /* that run programs; 0: one per core, or as many as OpenMP has here */
  uint32_t flags;   /* NEREID_DEVICE_... */
  /* The check device. */
  const char *const *ignored; /* ids of findings that nobody is to hear of */
  size_t ignored_count;
  uint64_t seed;          /* of NEREID_DEVICE_COMPARE_ORDERS: which other order */
  uint64_t most_findings; /* that are listed; others are counted. 0: 100 */
  /* Gets the findings of a launch that are but warnings; NULL: they go to standard error. */
  nereid_warning_callback warn;
  void *warn_user;
  /* Lines at which each program stops, columns aside, and who is asked then. Files are called as
     the module was. */
  const nereid_place *breakpoints;
  size_t breakpoint_count;
  nereid_stopped_callback stopped;
  void *stopped_user;
} nereid_device_options;

/* `options` may be NULL: all defaults, which is also what zeros mean. */
NEREID_API nereid_status nereid_device_open(const char *name, const nereid_device_options *options,
                                            nereid_device **device, nereid_error **error);
NEREID_API const char *nereid_device_name(const nereid_device *device);
NEREID_API uint32_t nereid_device_threads(const nereid_device *device);
NEREID_API void nereid_device_release(nereid_device *device);

/* Called with each device that nereid_device_open knows; `unavailable_because` is "" if it can be
   opened on this machine. The strings live as long as the call. */
typedef void (*nereid_device_callback)(void *user, const char *name, const char *description,
                                       const char *unavailable_because);
NEREID_API nereid_status nereid_devices(nereid_device_callback callback, void *user,
                                        nereid_error **error);

/*** Streams **************************************************************************************/

/* Launches and copies that a device does in the order in which they were given, while the host goes
   on. What failed of them is told by the next nereid_stream_synchronize, once, and what follows a
   failure is skipped until then. Releasing the last handle waits for all work. */
typedef struct nereid_stream nereid_stream;
/* A point in a stream's work. */
typedef struct nereid_event nereid_event;

NEREID_API nereid_status nereid_stream_open(const nereid_device *device, nereid_stream **stream,
                                            nereid_error **error);
NEREID_API nereid_status nereid_stream_synchronize(const nereid_stream *stream,
                                                   nereid_error **error);
/* Also true if that cannot be known, as on a GPU that is lost: who waits then learns why. */
NEREID_API bool nereid_stream_is_idle(const nereid_stream *stream);
/* The end of the work given so far. */
NEREID_API nereid_status nereid_stream_record(const nereid_stream *stream, nereid_event **event,
                                              nereid_error **error);
/* Work given from now on starts after the event, which may be of any device: a GPU waits for
   another's without the host, and what a kernel stored in its memory is there then. */
NEREID_API nereid_status nereid_stream_wait(const nereid_stream *stream, const nereid_event *event,
                                            nereid_error **error);
NEREID_API void nereid_stream_release(nereid_stream *stream);

/* As nereid_stream_is_idle. */
NEREID_API bool nereid_event_is_done(const nereid_event *event);
/* Returns when the work before it is done; fails, each time, as that failed. */
NEREID_API nereid_status nereid_event_wait(const nereid_event *event, nereid_error **error);
/* How long after `earlier`, of the same kind of device, the event came. Waits for both. */
NEREID_API nereid_status nereid_event_milliseconds_since(const nereid_event *event,
                                                         const nereid_event *earlier,
                                                         double *milliseconds,
                                                         nereid_error **error);
NEREID_API void nereid_event_release(nereid_event *event);

/*** Arrays ***************************************************************************************/

/* A typed array of `rank` dimensions in a device's memory. Shapes and strides count elements. */
typedef struct nereid_array nereid_array;

/* A new row-major array with any values; write before you read. `shape` may be NULL if `rank` is 0:
   a single element. */
NEREID_API nereid_status nereid_array_empty(const nereid_device *device, nereid_dtype type,
                                            const int64_t *shape, size_t rank, nereid_array **array,
                                            nereid_error **error);
NEREID_API nereid_status nereid_array_zeros(const nereid_device *device, nereid_dtype type,
                                            const int64_t *shape, size_t rank, nereid_array **array,
                                            nereid_error **error);
/* An array over memory that the caller owns, aligned to its element type, and keeps alive until the
   array and all launches prepared with it are released. `strides` may be NULL: row-major. */
NEREID_API nereid_status nereid_array_borrow(const nereid_device *device, void *data,
                                             nereid_dtype type, const int64_t *shape,
                                             const int64_t *strides, size_t rank,
                                             nereid_array **array, nereid_error **error);
NEREID_API nereid_dtype nereid_array_dtype(const nereid_array *array);
NEREID_API size_t nereid_array_rank(const nereid_array *array);
NEREID_API const int64_t *nereid_array_shape(const nereid_array *array);
NEREID_API const int64_t *nereid_array_strides(const nereid_array *array);
/* Elements, and the bytes of a row-major copy of them. */
NEREID_API int64_t nereid_array_size(const nereid_array *array);
NEREID_API size_t nereid_array_bytes(const nereid_array *array);
/* The first element, in the device's address space. The host may use that of "cpu" and "check". */
NEREID_API void *nereid_array_data(const nereid_array *array);
/* Copy all elements of a contiguous array in row-major order; `bytes` must be nereid_array_bytes.
 */
NEREID_API nereid_status nereid_array_copy_from(const nereid_array *array, const void *host,
                                                size_t bytes, nereid_error **error);
NEREID_API nereid_status nereid_array_copy_to(const nereid_array *array, void *host, size_t bytes,
                                              nereid_error **error);
/* The same in the order of a stream; the host's bytes must stay until the copy is done. */
NEREID_API nereid_status nereid_array_copy_from_on(const nereid_array *array, const void *host,
                                                   size_t bytes, const nereid_stream *stream,
                                                   nereid_error **error);
NEREID_API nereid_status nereid_array_copy_to_on(const nereid_array *array, void *host,
                                                 size_t bytes, const nereid_stream *stream,
                                                 nereid_error **error);
/* The elements as doubles, whatever their type; `count` must be nereid_array_size. */
NEREID_API nereid_status nereid_array_to_doubles(const nereid_array *array, double *values,
                                                 size_t count, nereid_error **error);
NEREID_API void nereid_array_release(nereid_array *array);

/*** Arguments ************************************************************************************/

typedef int32_t nereid_argument_kind;
enum {
  NEREID_ARGUMENT_NONE = 0,
  NEREID_ARGUMENT_BOOL = 1,
  NEREID_ARGUMENT_INT64 = 2,
  NEREID_ARGUMENT_UINT64 = 3,
  NEREID_ARGUMENT_DOUBLE = 4,
  NEREID_ARGUMENT_STRING = 5,
  NEREID_ARGUMENT_DTYPE = 6,
  NEREID_ARGUMENT_ARRAY = 7,
  NEREID_ARGUMENT_DESCRIPTOR = 8
};

/* An array whose blocks a kernel reads and writes by their offsets. Its last stride must be 1. */
typedef struct nereid_tensor_descriptor {
  const nereid_array *array;
  const int64_t *block_shape; /* as many dimensions as the array */
  uint64_t pads_with_nan; /* 1: what lies outside the array reads as NaN, not zero; floats only */
} nereid_tensor_descriptor;

/* A value for a kernel's parameter, by name. Whether it is a constexpr is the parameter's matter.
 */
typedef struct nereid_argument {
  const char *name;
  nereid_argument_kind kind;
  union {
    bool boolean;
    int64_t int64;
    uint64_t uint64;
    double number;
    const char *string;
    nereid_dtype dtype;
    const nereid_array *array;
    const nereid_tensor_descriptor *descriptor;
  } value;
} nereid_argument;

static inline nereid_argument nereid_arg_none(const char *name) {
  nereid_argument argument;
  argument.name = name;
  argument.kind = NEREID_ARGUMENT_NONE;
  argument.value.uint64 = 0;
  return argument;
}
static inline nereid_argument nereid_arg_bool(const char *name, bool value) {
  nereid_argument argument = nereid_arg_none(name);
  argument.kind = NEREID_ARGUMENT_BOOL;
  argument.value.boolean = value;
  return argument;
}
static inline nereid_argument nereid_arg_int64(const char *name, int64_t value) {
  nereid_argument argument = nereid_arg_none(name);
  argument.kind = NEREID_ARGUMENT_INT64;
  argument.value.int64 = value;
  return argument;
}
static inline nereid_argument nereid_arg_uint64(const char *name, uint64_t value) {
  nereid_argument argument = nereid_arg_none(name);
  argument.kind = NEREID_ARGUMENT_UINT64;
  argument.value.uint64 = value;
  return argument;
}
static inline nereid_argument nereid_arg_double(const char *name, double value) {
  nereid_argument argument = nereid_arg_none(name);
  argument.kind = NEREID_ARGUMENT_DOUBLE;
  argument.value.number = value;
  return argument;
}
static inline nereid_argument nereid_arg_string(const char *name, const char *value) {
  nereid_argument argument = nereid_arg_none(name);
  argument.kind = NEREID_ARGUMENT_STRING;
  argument.value.string = value;
  return argument;
}
static inline nereid_argument nereid_arg_dtype(const char *name, nereid_dtype value) {
  nereid_argument argument = nereid_arg_none(name);
  argument.kind = NEREID_ARGUMENT_DTYPE;
  argument.value.dtype = value;
  return argument;
}
static inline nereid_argument nereid_arg_array(const char *name, const nereid_array *value) {
  nereid_argument argument = nereid_arg_none(name);
  argument.kind = NEREID_ARGUMENT_ARRAY;
  argument.value.array = value;
  return argument;
}

static inline nereid_argument nereid_arg_descriptor(const char *name,
                                                    const nereid_tensor_descriptor *value) {
  nereid_argument argument = nereid_arg_none(name);
  argument.kind = NEREID_ARGUMENT_DESCRIPTOR;
  argument.value.descriptor = value;
  return argument;
}

/*** Modules **************************************************************************************/

/* The kernels of one source text, which may import other files. Nothing is executed. */
typedef struct nereid_module nereid_module;

/* What the text of a module does not say (docs/modules.md). */
typedef struct nereid_module_options {
  size_t size; /* sizeof(nereid_module_options) */
  const char *const
      *paths; /* directories in which imports are looked for, after the module's own */
  size_t path_count;
  const nereid_argument *definitions; /* values for names of the modules; no arrays */
  size_t definition_count;
  const char *path;  /* of text: the file that it was taken from; NULL: none */
  size_t first_line; /* the number of the text's first line in messages; 0 means 1 */
} nereid_module_options;

/* A source file, or a kernel that `nereid compile -o` wrote. `options` may be NULL. */
NEREID_API nereid_status nereid_module_load(const char *path, const nereid_module_options *options,
                                            nereid_module **module, nereid_error **error);
/* `text` needs no terminating 0. `name` stands for the path in messages; NULL: "<text>". */
NEREID_API nereid_status nereid_module_from_text(const char *text, size_t length, const char *name,
                                                 const nereid_module_options *options,
                                                 nereid_module **module, nereid_error **error);
NEREID_API size_t nereid_module_kernel_count(const nereid_module *module);
NEREID_API const char *nereid_module_kernel_name(const nereid_module *module, size_t index);
NEREID_API void nereid_module_release(nereid_module *module);

/*** Kernels **************************************************************************************/

/* One @triton.jit function of a module. */
typedef struct nereid_kernel nereid_kernel;

NEREID_API nereid_status nereid_module_kernel(const nereid_module *module, const char *name,
                                              nereid_kernel **kernel, nereid_error **error);
NEREID_API const char *nereid_kernel_name(const nereid_kernel *kernel);
NEREID_API size_t nereid_kernel_parameter_count(const nereid_kernel *kernel);
NEREID_API const char *nereid_kernel_parameter_name(const nereid_kernel *kernel, size_t index);
NEREID_API bool nereid_kernel_parameter_is_constexpr(const nereid_kernel *kernel, size_t index);
NEREID_API bool nereid_kernel_parameter_has_default(const nereid_kernel *kernel, size_t index);
NEREID_API void nereid_kernel_release(nereid_kernel *kernel);

/*** Launches *************************************************************************************/

/* Gets what a kernel prints: the lines of one execution of a statement, each with its end, not
   terminated by 0. Called from any thread that runs programs, one at a time. */
typedef void (*nereid_print_callback)(void *user, const char *lines, size_t length);

typedef struct nereid_launch_options {
  size_t size;                 /* sizeof(nereid_launch_options) */
  nereid_print_callback print; /* NULL: to standard output */
  void *print_user;            /* the callback's first argument */
  const nereid_stream *stream; /* of the launch's device; NULL: done when the call returns */
  /* Of nereid_kernel_launch and nereid_kernel_prepare_tuned, on a GPU: how many warps run a
     program, a power of two up to 32, and for how many rounds of a loop that multiplies there is
     room in shared memory, up to 16. 0: as the kernel asks. */
  uint32_t warps;
  uint32_t pipeline_stages;
  uint32_t max_registers; /* of a thread, 16 or more; 0: as the driver's compiler decides */
  uint32_t reserved;      /* 0 */
  /* Of a kernel of threads, how many are a block along x, y and z (0: 1, but x must be said), and
     how many bytes they share beside arrays whose shapes the text says. */
  uint32_t block[3];
  uint32_t shared_bytes;
} nereid_launch_options;

/* Compiles the kernel for these arguments, unless that was done before, runs x * y * z programs and
   returns when they are done, or gives them to the stream of `options`. Each extent is at least 1.
   `options` may be NULL. On a GPU arrays may be those of other GPUs that it reaches; one that it
   does not is named by the error (docs/several-gpus.md). */
NEREID_API nereid_status nereid_kernel_launch(const nereid_kernel *kernel,
                                              const nereid_device *device, int64_t x, int64_t y,
                                              int64_t z, const nereid_argument *arguments,
                                              size_t count, const nereid_launch_options *options,
                                              nereid_error **error);

/* A kernel compiled for its arguments: the cheap way to launch the same work again. */
typedef struct nereid_launch nereid_launch;

NEREID_API nereid_status nereid_kernel_prepare(const nereid_kernel *kernel,
                                               const nereid_device *device,
                                               const nereid_argument *arguments, size_t count,
                                               nereid_launch **launch, nereid_error **error);
/* The same with what the launch chooses of how a GPU runs the kernel, and with the block of a
   kernel of threads: `warps` to `shared_bytes` of `options`, which may be NULL; the rest of it is
   nereid_launch_run's. */
NEREID_API nereid_status nereid_kernel_prepare_tuned(const nereid_kernel *kernel,
                                                     const nereid_device *device,
                                                     const nereid_argument *arguments, size_t count,
                                                     const nereid_launch_options *options,
                                                     nereid_launch **launch, nereid_error **error);
NEREID_API nereid_status nereid_launch_run(const nereid_launch *launch, int64_t x, int64_t y,
                                           int64_t z, const nereid_launch_options *options,
                                           nereid_error **error);
/* A constexpr integer, such as a block size that has a default, for computing the grid. */
NEREID_API nereid_status nereid_launch_constant(const nereid_launch *launch, const char *name,
                                                int64_t *value, nereid_error **error);
/* Milliseconds the compiler took; 0 if the kernel was compiled before. */
NEREID_API double nereid_launch_compile_milliseconds(const nereid_launch *launch);
/* What a compiled kernel takes of a GPU; false on other devices, and if the GPU is lost. */
typedef struct nereid_kernel_resources {
  uint32_t threads;      /* of one program */
  uint32_t registers;    /* of one thread */
  uint32_t local_bytes;  /* of one thread: registers that were spilled, and a stack */
  uint32_t shared_bytes; /* of one program */
  uint32_t programs_per_multiprocessor;
  uint32_t reserved;
  double occupancy; /* the share of a multiprocessor's threads that these are */
} nereid_kernel_resources;
NEREID_API bool nereid_launch_resources(const nereid_launch *launch,
                                        nereid_kernel_resources *resources);
NEREID_API void nereid_launch_release(nereid_launch *launch);

/*** Ahead of time *******************************************************************************/

/* A kernel compiled for a signature and a target: data that needs no compiler to be launched. */
typedef struct nereid_artifact nereid_artifact;

enum { NEREID_COMPILE_MAY_OVERLAP = 1 }; /* arrays of one launch may overlap */

typedef struct nereid_compile_options {
  size_t size;        /* sizeof(nereid_compile_options) */
  const char *target; /* "cpu", a GPU's "sm_90a", ...; NULL: "cpu" */
  const char *cpu;    /* of the cpu target, as nereid_device_options.cpu */
  uint32_t warps;     /* of a GPU: how many run a program, a power of two up to 32; 0: as it asks */
  uint32_t flags;     /* NEREID_COMPILE_... */
  uint32_t pipeline_stages; /* of a GPU, as nereid::CompileOptions has it; 0: as many as help */
  uint32_t max_registers;   /* of a GPU, as nereid_launch_options.max_registers */
  uint32_t block[3];        /* of a kernel of threads, as nereid_launch_options.block */
  uint32_t shared_bytes;    /* likewise */
} nereid_compile_options;

/* `signature` is "x_ptr=*f32:16,n=i32,BLOCK=1024": *f32 is an array, :16 says that it is a multiple
   of 16, and what is no type is a constant. `options` may be NULL. */
NEREID_API nereid_status nereid_kernel_compile(const nereid_kernel *kernel, const char *signature,
                                               const nereid_compile_options *options,
                                               nereid_artifact **artifact, nereid_error **error);
/* The same for what a launch with these arguments is compiled for. */
NEREID_API nereid_status nereid_kernel_compile_for(const nereid_kernel *kernel,
                                                   const nereid_argument *arguments, size_t count,
                                                   const nereid_compile_options *options,
                                                   nereid_artifact **artifact,
                                                   nereid_error **error);
/* Reads what nereid_artifact_data gives. A checksum finds accidents, no forgery. */
NEREID_API nereid_status nereid_artifact_from_data(const void *data, size_t bytes,
                                                   nereid_artifact **artifact,
                                                   nereid_error **error);
NEREID_API const void *nereid_artifact_data(const nereid_artifact *artifact);
NEREID_API size_t nereid_artifact_bytes(const nereid_artifact *artifact);
/* The file appears whole or not at all; nereid_module_load takes it. */
NEREID_API nereid_status nereid_artifact_save(const nereid_artifact *artifact, const char *path,
                                              nereid_error **error);
/* To launch it. The constants may be left out of the arguments. */
NEREID_API nereid_status nereid_artifact_kernel(const nereid_artifact *artifact,
                                                nereid_kernel **kernel, nereid_error **error);
NEREID_API void nereid_artifact_release(nereid_artifact *artifact);

/* Gets what a stage of a compilation made, not terminated by 0. `detail` is the pass of "passes".
 */
typedef void (*nereid_stage_callback)(void *user, const char *stage, const char *detail,
                                      double milliseconds, const char *text, size_t length);
/* Compiles as far as the stages need it ("tile,asm", and names of passes; `nereid compile --help`
   lists them), and shows each to the callback. */
NEREID_API nereid_status nereid_kernel_dump(const nereid_kernel *kernel, const char *signature,
                                            const char *stages,
                                            const nereid_compile_options *options,
                                            nereid_stage_callback callback, void *user,
                                            nereid_error **error);

/*** The cache on disk ****************************************************************************/

/* Compiled kernels that are kept for the next process (docs/cache.md). Devices use it without being
   asked; other processes may use it at the same time. */
typedef struct nereid_cache nereid_cache;

/* The one that devices use, as the environment says (NEREID_CACHE, NEREID_CACHE_DIR,
   NEREID_CACHE_SIZE). *cache is NULL, and that is no failure, if the cache is off or no directory
   is known. */
NEREID_API nereid_status nereid_cache_open(nereid_cache **cache, nereid_error **error);
NEREID_API const char *nereid_cache_directory(const nereid_cache *cache);
/* Beyond this many bytes the kernels used least recently go. */
NEREID_API uint64_t nereid_cache_most_bytes(const nereid_cache *cache);
/* Why nothing was kept when the cache was opened, "another user owns it or can write to it"; empty
   if all was well. */
NEREID_API const char *nereid_cache_problem(const nereid_cache *cache);

/* Gets one kernel. `last_used` counts seconds since 1970 began, UTC. */
typedef void (*nereid_cache_callback)(void *user, const char *key, uint64_t bytes,
                                      int64_t last_used);
/* Shows each kernel to the callback, the one used most recently first. */
NEREID_API nereid_status nereid_cache_entries(const nereid_cache *cache,
                                              nereid_cache_callback callback, void *user,
                                              nereid_error **error);
/* One kernel, by a key that nereid_cache_entries gave. Does not count as use. */
NEREID_API nereid_status nereid_cache_load(const nereid_cache *cache, const char *key,
                                           nereid_artifact **artifact, nereid_error **error);
/* Removes all. `removed` may be NULL: how many there were. */
NEREID_API nereid_status nereid_cache_clear(const nereid_cache *cache, size_t *removed,
                                            nereid_error **error);
NEREID_API void nereid_cache_release(nereid_cache *cache);

#ifdef __cplusplus
}
#endif

#endif
