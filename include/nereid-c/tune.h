/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long launches take, and which of several configurations of a kernel is the fastest: the C
   interface of nereid/tune.h (docs/tuning.md), by the rules of nereid-c/nereid.h.

     nereid_argument small = nereid_arg_int64("BLOCK", 64), large = nereid_arg_int64("BLOCK", 1024);
     nereid_configuration configurations[] = {{.values = &small, .count = 1},
                                              {.values = &large, .count = 1, .warps = 8}};
     nereid_tuning *tuning;
     nereid_tune(kernel, device, grid, NULL, arguments, 4, configurations, 2, NULL, &tuning,
   &error); size_t best = nereid_tuning_best(tuning);
 */
#ifndef NEREID_C_TUNE_H
#define NEREID_C_TUNE_H

#include "nereid-c/nereid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What calls took, in milliseconds: the median, and what a fifth of them were below and above. */
typedef struct nereid_timing {
  double median;
  double low;
  double high;
  uint64_t calls;
} nereid_timing;

typedef struct nereid_timer_options {
  size_t size; /* sizeof(nereid_timer_options) */
  /* Launches that do not count are made for so long, then launches that count. 0: 25 and 100
     milliseconds. */
  uint64_t warmup_microseconds;
  uint64_t repeat_microseconds;
  uint32_t leaves_cache; /* 1: a GPU's L2 cache is not overwritten before each launch */
  uint32_t uses_graph;   /* 1: on a GPU many launches are timed as one graph */
} nereid_timer_options;

/* Times a launch of this device. What it prints meanwhile is thrown away. `options` may be NULL. */
NEREID_API nereid_status nereid_launch_measure(const nereid_launch *launch,
                                               const nereid_device *device, int64_t x, int64_t y,
                                               int64_t z, const nereid_timer_options *options,
                                               nereid_timing *timing, nereid_error **error);

/* One way to run a kernel: constants for some of its parameters, and how a GPU runs it, as in
   nereid_launch_options. */
typedef struct nereid_configuration {
  const nereid_argument *values;
  size_t count;
  uint32_t warps;
  uint32_t pipeline_stages;
  uint32_t max_registers;
  uint32_t reserved; /* 0 */
} nereid_configuration;

/* The constexpr integers of a kernel, those of a configuration and defaults; only in a callback. */
typedef struct nereid_constants nereid_constants;
/* False if there is none of that name. */
NEREID_API bool nereid_constants_get(const nereid_constants *constants, const char *name,
                                     int64_t *value);

/* Puts the extents of a grid into `grid`, which holds three ones. */
typedef void (*nereid_grid_callback)(void *user, const nereid_constants *constants,
                                     int64_t grid[3]);

/* How a kernel of threads is launched: as `block` and `shared_bytes` of nereid_launch_options. */
typedef struct nereid_block {
  uint32_t threads[3];
  uint32_t shared_bytes;
} nereid_block;

typedef struct nereid_tuning_options {
  size_t size;                       /* sizeof(nereid_tuning_options) */
  const nereid_timer_options *timer; /* may be NULL */
  /* Arguments for whose values the best configuration may be another one. NULL: all numbers, and
     shapes of arrays. */
  const char *const *key;
  size_t key_count;
  const char *const *restored; /* arrays that get back what they held, after each trial */
  size_t restored_count;
  uint32_t keeps_nothing;   /* 1: no record is read or kept */
  uint32_t compile_threads; /* configurations that are compiled at once; 0: one per core */
  /* Of a kernel of threads: one for each configuration. The grid's function finds their extents as
     the constants block_x, block_y and block_z. NULL: of a kernel of tiles. */
  const nereid_block *blocks;
} nereid_tuning_options;

/* What became of each configuration. */
typedef struct nereid_tuning nereid_tuning;

/* Compiles the configurations side by side, times one after the other, and keeps records: what is
   recorded is not tried again. `arguments` leave out what the configurations give. It is an error
   if none of them runs. `options` may be NULL. */
NEREID_API nereid_status nereid_tune(const nereid_kernel *kernel, const nereid_device *device,
                                     nereid_grid_callback grid, void *grid_user,
                                     const nereid_argument *arguments, size_t count,
                                     const nereid_configuration *configurations,
                                     size_t configuration_count,
                                     const nereid_tuning_options *options, nereid_tuning **tuning,
                                     nereid_error **error);
/* The place of the fastest among the configurations that were given. */
NEREID_API size_t nereid_tuning_best(const nereid_tuning *tuning);
/* What the configuration at a place took; false, and zeros, if it does not run. */
NEREID_API bool nereid_tuning_timing(const nereid_tuning *tuning, size_t index,
                                     nereid_timing *timing);
/* Why it does not run; "" if it does. Stays until nereid_tuning_release. */
NEREID_API const char *nereid_tuning_failure(const nereid_tuning *tuning, size_t index);
/* Whether that was known from a record. */
NEREID_API bool nereid_tuning_is_from_record(const nereid_tuning *tuning, size_t index);
NEREID_API void nereid_tuning_release(nereid_tuning *tuning);

#ifdef __cplusplus
}
#endif

#endif
