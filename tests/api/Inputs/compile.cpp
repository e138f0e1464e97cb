// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling ahead of time, as users write it. Compiled, not run.
#include "nereid/compile.h"
#include "nereid/cache.h"
#include "nereid/devices.h"
#include "nereid/expression.h"

using namespace nereid;

void compileAll(const Kernel &kernel, const Device &device, const Array &x) {
  Signature signature = {{"x", ArgumentType{DType::Float32, true}},
                         {"n", ArgumentType{.dtype = DType::Int32, .isMultipleOf16 = true}},
                         {"BLOCK", 1024},
                         {"scale", 0.5},
                         {"name", "text"},
                         {"flag", true},
                         {"type", DType::Float16},
                         {"none", nullptr}};
  compile(kernel, signature).save("k.nrd");
  compile(kernel, parseSignature("x=*f32:16"), {.cpu = "haswell", .mayOverlap = true});
  compile(kernel, signature,
          {.stages = parseStages("tile,asm"), .sink = [](const StageOutput &) {}});
  for (const StageOutput &output : dump(kernel, {}, {.stages = {Stage::Tokens}}))
    (void)output.text;
  Artifact artifact = Artifact::load("k.nrd");
  artifact.kernel().launch(device, {4}, {{"x", x}});
  std::vector<uint8_t> bytes = artifact.bytes();
  Artifact::fromBytes(bytes);
  if (std::optional<DiskCache> cache = DiskCache::open())
    for (const DiskCache::Entry &entry : cache->entries())
      (void)cache->load(entry).info().kernel;
  Arguments arguments = {{"x", x}, {"BLOCK", 64}};
  kernel.launch(device, Expression("cdiv(x.shape[0], BLOCK)").evaluateGrid(arguments), arguments);
}
