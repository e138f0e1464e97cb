/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the C tests share: they print what does not hold and go on. */
#ifndef CHECK_H
#define CHECK_H

#include "nereid-c/nereid.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      ++failures;                                                                                  \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);               \
    }                                                                                              \
  } while (0)

/* The call succeeds; otherwise its message is shown. */
#define CHECK_OK(call)                                                                             \
  do {                                                                                             \
    nereid_error *error = NULL;                                                                    \
    nereid_status status = call;                                                                   \
    CHECK(status == NEREID_OK && !error);                                                          \
    if (error)                                                                                     \
      fprintf(stderr, "%s\n", nereid_error_message(error));                                        \
    nereid_error_release(error);                                                                   \
  } while (0)

/* The call fails in this way, with a message that has `text` in it. */
#define CHECK_FAILS(call, wanted, text)                                                            \
  do {                                                                                             \
    nereid_error *error = NULL;                                                                    \
    nereid_status status = call;                                                                   \
    CHECK(status == (wanted) && nereid_error_status(error) == status);                             \
    CHECK(error && strstr(nereid_error_message(error), text));                                     \
    if (error && !strstr(nereid_error_message(error), text))                                       \
      fprintf(stderr, "%s\n", nereid_error_message(error));                                        \
    nereid_error_release(error);                                                                   \
  } while (0)

#endif
