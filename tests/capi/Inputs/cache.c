/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The cache on disk: what a launch leaves there, how it is found again and removed. Run with `off`
   where the environment turns the cache off. */
#include "Check.h"

static const char text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "\n"
                           "@triton.jit\n"
                           "def thrice(x):\n"
                           "    tl.store(x, 3 * tl.load(x))\n";

static nereid_device *device;

static float launched(const nereid_kernel *kernel) {
  float value = 5;
  int64_t shape = 1;
  nereid_array *array = NULL;
  nereid_argument argument;
  CHECK_OK(nereid_array_empty(device, NEREID_DTYPE_Float32, &shape, 1, &array, &error));
  CHECK_OK(nereid_array_copy_from(array, &value, sizeof value, &error));
  argument = nereid_arg_array("x", array);
  CHECK_OK(nereid_kernel_launch(kernel, device, 1, 1, 1, &argument, 1, NULL, &error));
  CHECK_OK(nereid_array_copy_to(array, &value, sizeof value, &error));
  nereid_array_release(array);
  return value;
}

struct Seen {
  int count;
  char key[256];
  uint64_t bytes;
  int64_t last_used;
};

static void see(void *user, const char *key, uint64_t bytes, int64_t last_used) {
  struct Seen *seen = (struct Seen *)user;
  ++seen->count;
  snprintf(seen->key, sizeof seen->key, "%s", key);
  seen->bytes = bytes;
  seen->last_used = last_used;
}

static void keeps(const nereid_kernel *kernel) {
  nereid_cache *cache = NULL;
  nereid_artifact *artifact = NULL;
  nereid_kernel *kept = NULL;
  struct Seen seen = {0, "", 0, 0};
  size_t removed = 99;
  CHECK_OK(nereid_cache_open(&cache, &error));
  CHECK(cache && strstr(nereid_cache_directory(cache), "kernels"));
  CHECK(nereid_cache_most_bytes(cache) > 0 && !strcmp(nereid_cache_problem(cache), ""));
  CHECK_OK(nereid_cache_clear(cache, NULL, &error));
  CHECK_OK(nereid_cache_entries(cache, see, &seen, &error));
  CHECK(seen.count == 0);

  CHECK(launched(kernel) == 15);
  CHECK_OK(nereid_cache_entries(cache, see, &seen, &error));
  CHECK(seen.count == 1 && seen.bytes > 100 && seen.last_used > 1000000000);
  CHECK_OK(nereid_cache_load(cache, seen.key, &artifact, &error));
  CHECK_OK(nereid_artifact_kernel(artifact, &kept, &error));
  CHECK(launched(kept) == 15);
  nereid_kernel_release(kept);
  nereid_artifact_release(artifact);

  CHECK_FAILS(nereid_cache_load(cache, "no such key", &artifact, &error), NEREID_ERROR_USAGE,
              "no such key");
  CHECK(!artifact);
  CHECK_FAILS(nereid_cache_entries(cache, NULL, NULL, &error), NEREID_ERROR_USAGE, "callback");
  CHECK_OK(nereid_cache_clear(cache, &removed, &error));
  CHECK(removed == 1);
  CHECK_OK(nereid_cache_clear(cache, &removed, &error));
  CHECK(removed == 0);
  nereid_cache_release(cache);
}

static void isOff(const nereid_kernel *kernel) {
  nereid_cache *cache = NULL;
  struct Seen seen = {0, "", 0, 0};
  CHECK_OK(nereid_cache_open(&cache, &error));
  CHECK(!cache);
  CHECK(launched(kernel) == 15);
  CHECK_FAILS(nereid_cache_entries(NULL, see, &seen, &error), NEREID_ERROR_USAGE, "no cache");
  CHECK_FAILS(nereid_cache_clear(NULL, NULL, &error), NEREID_ERROR_USAGE, "no cache");
  CHECK(!nereid_cache_directory(NULL) && !nereid_cache_most_bytes(NULL));
  nereid_cache_release(NULL);
}

int main(int argc, char **argv) {
  nereid_module *module = NULL;
  nereid_kernel *kernel = NULL;
  CHECK_OK(nereid_device_open("cpu", NULL, &device, &error));
  CHECK_OK(nereid_module_from_text(text, sizeof text - 1, NULL, NULL, &module, &error));
  CHECK_OK(nereid_module_kernel(module, "thrice", &kernel, &error));
  CHECK_FAILS(nereid_cache_open(NULL, &error), NEREID_ERROR_USAGE, "place for a handle");
  if (argc > 1 && !strcmp(argv[1], "off"))
    isOff(kernel);
  else
    keeps(kernel);
  nereid_kernel_release(kernel);
  nereid_module_release(module);
  nereid_device_release(device);
  return failures != 0;
}
