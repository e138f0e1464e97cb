/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Why a kernel is slow on a GPU, without one (nereid/analyze.h, docs/analyze.md). Failures,
 * ownership and threads are as nereid.h says.
 */
#ifndef NEREID_C_ANALYZE_H
#define NEREID_C_ANALYZE_H

#include "nereid-c/nereid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_analysis nereid_analysis;
typedef struct nereid_comparison nereid_comparison;

typedef struct nereid_analyze_options {
  size_t size;        /* sizeof(nereid_analyze_options) */
  const char *target; /* a GPU's "sm_80", ...; NULL: "sm_90a" */
  const char *card;   /* "h200", ...; NULL: the first that has the target's SM */
  uint32_t warps;     /* as nereid_compile_options has them */
  uint32_t pipeline_stages;
  uint32_t max_registers;
  uint32_t reserved; /* 0 */
  uint64_t programs; /* how many are run to count; 0: as many as take a second */
  /* Of elements, that a program is followed for, before its loop is taken to have no end; 0: about
     ten seconds' work. */
  uint64_t most_accesses;
  /* Not 0: the second-level cache holds what was written before, as where it is flushed by writes.
   */
  uint64_t l2_dirty;
} nereid_analyze_options;

/* Compiles the kernel for a launch with these arguments, whose arrays are the host's, and counts
   what the launch would do. Nothing is written to the arrays. `options` may be NULL. */
NEREID_API nereid_status nereid_kernel_analyze(const nereid_kernel *kernel, int64_t x, int64_t y,
                                               int64_t z, const nereid_argument *arguments,
                                               size_t count, const nereid_analyze_options *options,
                                               nereid_analysis **analysis, nereid_error **error);

/* Of one launch whose arrays are not in the second-level cache, as predicted. */
NEREID_API double nereid_analysis_seconds(const nereid_analysis *analysis);
/* What takes most of it: "memory", "L2", "tensor cores", ... */
NEREID_API const char *nereid_analysis_bound(const nereid_analysis *analysis);
/* All of it: as tables, as a document (docs/analyze.md), and as a page. Each stays until the
   analysis is released. */
NEREID_API const char *nereid_analysis_text(const nereid_analysis *analysis);
NEREID_API const char *nereid_analysis_json(const nereid_analysis *analysis);
NEREID_API const char *nereid_analysis_html(const nereid_analysis *analysis);
NEREID_API void nereid_analysis_release(nereid_analysis *analysis);

/* Two launches side by side, of two kernels or of one with other options, arguments or cards. It
   needs the analyses no longer once it is made. */
NEREID_API nereid_status nereid_analysis_compare(const nereid_analysis *first,
                                                 const nereid_analysis *second,
                                                 nereid_comparison **comparison,
                                                 nereid_error **error);
NEREID_API const char *nereid_comparison_text(const nereid_comparison *comparison);
NEREID_API const char *nereid_comparison_json(const nereid_comparison *comparison);
NEREID_API const char *nereid_comparison_html(const nereid_comparison *comparison);
NEREID_API void nereid_comparison_release(nereid_comparison *comparison);

#ifdef __cplusplus
}
#endif

#endif
