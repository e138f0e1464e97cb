// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Read by C and by C++.
#pragma once

/// Marks what the shared library exports; everything else is compiled with hidden visibility.
#define NEREID_API __attribute__((visibility("default")))
