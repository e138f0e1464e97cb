// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Kind.h"
#include "nereid-c/tune.h"

#include <cstring>
#include <vector>

namespace nereid::fuzz {

/// The handles of one kind that a sequence of calls has made.
template <typename Handle> class Pool {
public:
  using Release = void (*)(Handle *);
  explicit Pool(Release release) : release(release) {}
  ~Pool() {
    for (Handle *handle : handles)
      release(handle);
  }
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  void add(Handle *handle) {
    if (handle)
      handles.push_back(handle);
  }
  /// Null now and then, and if there is none.
  Handle *pick(Random &random) const {
    return handles.empty() || random.oneIn(16) ? nullptr : random.pick(handles);
  }
  void releaseOne(Random &random) {
    if (random.oneIn(4))
      return release(nullptr);
    if (handles.empty())
      return;
    size_t position = random.below(handles.size());
    release(handles[position]);
    handles.erase(handles.begin() + static_cast<ptrdiff_t>(position));
  }

private:
  Release release;
  std::vector<Handle *> handles;
};

/// Options as a caller with this header, an older or a newer one, or a careless one would give
/// them.
template <typename Options> class Sized {
public:
  explicit Sized(Random &random) {
    std::memset(&known, 0, sizeof(known));
    constexpr size_t right = sizeof(Options);
    const size_t sizes[] = {right, right, right, right, right, right + 8, right - 8, 8, 7, 0};
    known.size = random.pick(sizes);
    unknown = random.oneIn(3);
    isNull = random.oneIn(3);
  }
  Options *operator->() { return &known; }
  const Options *get() const { return isNull ? nullptr : &known; }

private:
  Options known;
  uint64_t unknown;
  bool isNull;
};

/// What a program may have in its hands, and calls of every function with some of it.
class CallPools {
public:
  /// With a few handles of its own. `kernels` is a module that many share, so that not each of them
  /// compiles the same.
  CallPools(Random &random, const nereid_module *kernels);
  void call();
  /// Of the last call.
  bool hasFailed() const { return lastFailed; }
  static nereid_module *makeKernels();
  /// With options that make it the same device each time, while it is open.
  static nereid_device *open(const char *name, nereid_error **error);

private:
  void openDevice();
  void makeArray();
  void borrowArray();
  void copyArray();
  void readArray();
  void loadModule();
  void takeKernel();
  void describeKernel();
  void launchKernel();
  void prepareKernel();
  void runLaunch();
  void readLaunch();
  void measureLaunch();
  void compileKernel();
  void dumpKernel();
  void readArtifact();
  void useStream();
  void useEvent();
  void parseType();
  void openCache();
  void tuneKernel();
  void releaseSome();

  int64_t extent();
  std::vector<nereid_argument> arguments();
  nereid_argument argument(const char *name);
  const char *text();
  /// Its error, or null where only the status is wanted.
  nereid_error **place();
  /// Looks at what a call gave, and what it made, null or not.
  bool check(nereid_status status, const void *made = nullptr, bool makes = false);

  Random &random;
  bool lastFailed = false;
  nereid_error *error = nullptr;
  bool wantsError = true;
  Pool<nereid_device> devices{nereid_device_release};
  Pool<nereid_array> arrays{nereid_array_release};
  Pool<nereid_module> modules{nereid_module_release};
  Pool<nereid_kernel> kernels{nereid_kernel_release};
  Pool<nereid_launch> launches{nereid_launch_release};
  Pool<nereid_artifact> artifacts{nereid_artifact_release};
  Pool<nereid_stream> streams{nereid_stream_release};
  Pool<nereid_event> events{nereid_event_release};
  Pool<nereid_cache> caches{nereid_cache_release};
  Pool<nereid_tuning> tunings{nereid_tuning_release};
  Pool<nereid_error> errors{nereid_error_release};
  nereid_tensor_descriptor descriptors[8];
  size_t descriptorCount = 0;
};

} // namespace nereid::fuzz
