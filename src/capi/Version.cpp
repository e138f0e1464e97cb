// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid-c/nereid.h"
#include "nereid/nereid.h"

// The version's text is a literal.
const char *nereid_version(void) { return nereid::version().data(); }
