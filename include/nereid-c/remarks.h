/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Why a kernel that is right is not as fast as it might be, as far as the compiler knows
 * (nereid/remarks.h, docs/remarks.md). Failures, ownership and threads are as nereid.h says.
 */
#ifndef NEREID_C_REMARKS_H
#define NEREID_C_REMARKS_H

#include "nereid-c/nereid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A better form that the compiler declined (docs/remarks.md). Made by the library alone, for the
   length of a call; may grow at its end. */
typedef struct nereid_remark {
  const char *id;       /* "load_narrow" */
  const char *text;     /* one sentence: what is so, and why */
  const char *accepted; /* what would be taken instead */
  nereid_place place;   /* a line of 0: of the kernel as a whole */
  uint64_t count;       /* how many operations of the line it is said of */
  const char *report;   /* as the command line prints it */
} nereid_remark;
typedef void (*nereid_remark_callback)(void *user, const nereid_remark *remark);
/* Compiles, and shows what the compiler remarks to the callback, in the order of the text. */
NEREID_API nereid_status nereid_kernel_remarks(const nereid_kernel *kernel, const char *signature,
                                               const nereid_compile_options *options,
                                               nereid_remark_callback callback, void *user,
                                               nereid_error **error);
/* The same for what a launch with these arguments is compiled for. */
NEREID_API nereid_status nereid_kernel_remarks_for(const nereid_kernel *kernel,
                                                   const nereid_argument *arguments, size_t count,
                                                   const nereid_compile_options *options,
                                                   nereid_remark_callback callback, void *user,
                                                   nereid_error **error);

#ifdef __cplusplus
}
#endif

#endif
