// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An outside program: a kernel runs, and an Error thrown inside the library is caught outside.
#include "nereid/nereid.h"

#include <cstdio>

static const char *text = R"(
import triton
import triton.language as tl

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)
)";

static bool adds() {
  const int n = 1000;
  std::vector<float> xs(n), ys(n);
  for (int i = 0; i < n; ++i)
    xs[i] = 0.25f * i, ys[i] = float(n - i);
  nereid::Device device = nereid::Device::open("cpu");
  nereid::Kernel add = nereid::Module::fromText(text).kernel("add");
  nereid::Array x = device.array(xs), y = device.array(ys);
  nereid::Array out = device.empty(nereid::DType::Float32, {n});
  add.launch(device, {nereid::cdiv(n, 256)},
             {{"x", x}, {"y", y}, {"out", out}, {"n", n}, {"BLOCK", 256}});
  std::vector<float> result = out.toVector<float>();
  for (int i = 0; i < n; ++i)
    if (result[i] != xs[i] + ys[i])
      return false;
  return true;
}

static bool fails() {
  try {
    nereid::Module::fromText("def (");
  } catch (const nereid::Error &error) {
    return error.kind() == nereid::Error::Kind::Source && error.findings().size() == 1;
  }
  return false;
}

int main() {
  std::printf("%s: adds %d, fails %d\n", std::string(nereid::version()).c_str(), adds(), fails());
  return adds() && fails() ? 0 : 1;
}
