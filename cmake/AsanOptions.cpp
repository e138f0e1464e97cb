// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linked into every program of a sanitizer build. LLVM's allocators poison the memory that they
// have not handed out, and unpoison what they do: but only where their headers are compiled with
// the sanitizer, which Debian's libraries are not. Between the two, good memory stays poisoned.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }
