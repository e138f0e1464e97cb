/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where a kernel's time goes on the GPU at hand, measured by the kernel itself (nereid/profile.h,
 * docs/profile.md). Failures, ownership and threads are as nereid.h says.
 */
#ifndef NEREID_C_PROFILE_H
#define NEREID_C_PROFILE_H

#include "nereid-c/nereid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_profile nereid_profile;

typedef struct nereid_profile_options {
  size_t size;        /* sizeof(nereid_profile_options) */
  const char *detail; /* "all", "waits", "rounds", "programs"; NULL: "auto" */
  uint32_t warps;     /* as nereid_compile_options has them */
  uint32_t pipeline_stages;
  uint32_t max_registers;
  uint32_t turns; /* launches with and without clocks; 0: one with clocks */
} nereid_profile_options;

/* Launches the kernel 2 * turns + 3 times or more: arrays hold afterwards what so many launches
   leave. `options` may be NULL: 15 turns. */
NEREID_API nereid_status nereid_kernel_profile(const nereid_device *device,
                                               const nereid_kernel *kernel, int64_t x, int64_t y,
                                               int64_t z, const nereid_argument *arguments,
                                               size_t count, const nereid_profile_options *options,
                                               nereid_profile **profile, nereid_error **error);

/* Of a launch without clocks, the median; 0 with no turns. */
NEREID_API double nereid_profile_seconds(const nereid_profile *profile);
/* What the clocks cost, as a share of that. */
NEREID_API double nereid_profile_overhead(const nereid_profile *profile);
/* All of it: as tables, as a document (docs/profile.md), as a trace that Perfetto opens, and as a
   page. Each stays until the profile is released. */
NEREID_API const char *nereid_profile_text(const nereid_profile *profile);
NEREID_API const char *nereid_profile_json(const nereid_profile *profile);
NEREID_API const char *nereid_profile_trace(const nereid_profile *profile);
NEREID_API const char *nereid_profile_html(const nereid_profile *profile);
NEREID_API void nereid_profile_release(nereid_profile *profile);

#ifdef __cplusplus
}
#endif

#endif
