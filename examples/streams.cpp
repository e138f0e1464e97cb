// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a server does with streams: requests that overlap, each with its own stream and buffers,
// while one thread feeds them all. docs/serving.md explains it line by line.
#include "nereid/nereid.h"

#include <cstdio>
#include <optional>

static const char *source = R"(
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, y_ptr, factor, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * factor, mask=mask)
)";

namespace {

constexpr int64_t size = 1 << 16, block = 4096;

/// One request in flight: what it needs is made once and used again.
struct Slot {
  Slot(const nereid::Device &device, const nereid::Kernel &kernel)
      : options{.stream = device.stream()}, in(size), out(size),
        x(device.empty(nereid::DType::Float32, {size})),
        y(device.empty(nereid::DType::Float32, {size})),
        launch(kernel.prepare(
            device, {{"x_ptr", x}, {"y_ptr", y}, {"factor", 2.5}, {"n", size}, {"BLOCK", block}})) {
  }

  void start(float value) {
    in.assign(size, value);
    x.copyFrom(in.data(), *options.stream);
    launch.run({nereid::cdiv(size, block)}, options);
    y.copyTo(out.data(), *options.stream);
    done = options.stream->record();
  }

  /// The answer, or the Error of this request.
  float finish() {
    done->wait();
    return out[size - 1];
  }

  nereid::LaunchOptions options;
  std::vector<float> in, out;
  nereid::Array x, y;
  nereid::Launch launch;
  std::optional<nereid::Event> done;
};

int serve() {
  nereid::Device device = nereid::Device::open("cpu");
  nereid::Kernel kernel = nereid::Module::fromText(source, "scale.py").kernel("scale");
  std::vector<Slot> slots;
  for (int i = 0; i < 3; ++i)
    slots.emplace_back(device, kernel);

  int wrong = 0;
  constexpr int requests = 300;
  for (int i = 0; i < requests + 3; ++i) {
    Slot &slot = slots[static_cast<size_t>(i) % slots.size()];
    if (i >= 3) // the request that has the slot was given three requests ago
      wrong += slot.finish() != 2.5f * static_cast<float>(i - 3);
    if (i < requests)
      slot.start(static_cast<float>(i));
  }
  std::printf("%d requests on %zu streams, %d wrong\n", requests, slots.size(), wrong);
  return wrong;
}

} // namespace

int main() {
  try {
    return serve();
  } catch (const nereid::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
