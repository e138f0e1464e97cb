// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled kernels in files: damaged ones, of which nothing may be believed, and others with a
// right checksum that hold nonsense, which must be read without harm. Nobody's code is run but our
// own.
#include "Kinds.h"
#include "Mutations.h"
#include "nereid/compile.h"
#include "runtime/Artifact.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <vector>

namespace nereid::fuzz {
namespace {

constexpr const char *artifactKernel =
    "import triton\nimport triton.language as tl\n@triton.jit\n"
    "def k(x, y, n, s, B: tl.constexpr, mode: tl.constexpr = 'fast', t: tl.constexpr = tl.int8):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
    "    v = tl.load(x + i, mask=i < n, other=0.0)\n"
    "    if n < 0:\n        tl.device_print('v', v)\n"
    "    tl.store(y + i, tl.exp(v) + s, mask=i < n)\n";
constexpr int64_t elements = 16;

/// Where the header says how long the payload is, and its checksum.
constexpr size_t lengthAt = 16, checksumAt = 24, payloadAt = 40;

std::string sign(std::string bytes) {
  if (bytes.size() < payloadAt)
    return bytes;
  uint64_t length = bytes.size() - payloadAt;
  XXH128_hash_t checksum = XXH3_128bits(bytes.data() + payloadAt, length);
  std::memcpy(bytes.data() + lengthAt, &length, 8);
  std::memcpy(bytes.data() + checksumAt, &checksum.low64, 8);
  std::memcpy(bytes.data() + checksumAt + 8, &checksum.high64, 8);
  return bytes;
}

class ArtifactKind final : public Kind {
public:
  ArtifactKind() {
    Kernel kernel = Module::fromText(artifactKernel).kernel();
    for (const char *target : {"cpu", "sm_90a"}) {
      std::vector<uint8_t> bytes =
          compile(kernel, parseSignature("x=*f32:16,y=*f32:16,n=i32,s=f64,B=16"),
                  {.target = target})
              .bytes();
      files.emplace_back(bytes.begin(), bytes.end());
    }
    original = read(files[0]);
    require(sign(files[0]) == files[0], "the header of artifacts is another one");
  }

  std::string make(Random &random) override {
    std::string file = random.pick(files);
    switch (random.below(8)) {
    case 0:
    case 1:
      damageBytes(random, file);
      return file;
    case 2:
      damageNumber(random, file);
      return file;
    case 3:
      return told(random, read(file));
    default:
      damageBytes(random, file, payloadAt);
      return sign(file);
    }
  }

  Outcome attempt(const std::string &input) override {
    return unlessRefused([&] {
      std::span bytes(reinterpret_cast<const uint8_t *>(input.data()), input.size());
      Artifact artifact = Artifact::fromBytes(bytes, "mutant");
      artifact.info();
      std::vector<uint8_t> again = artifact.bytes();
      require(Artifact::fromBytes(again).bytes() == again, "does not come back as it was written");
      std::vector<float> x(elements, 0.5f);
      Array in = device.array(x), out = device.zeros(DType::Float32, {elements});
      Launch launch =
          artifact.kernel().prepare(device, {{"x", in}, {"y", out}, {"n", elements}, {"s", 1.0}});
      if (!isOurs(read(input)))
        return;
      launch.run({1});
      require(std::abs(out.toVector<float>()[3] - 2.6487f) < 1e-3f, "gives another result");
    });
  }

private:
  static runtime::Artifact read(const std::string &file) {
    return runtime::deserialize({reinterpret_cast<const uint8_t *>(file.data()), file.size()});
  }

  /// Whether what would be run is the compiler's.
  bool isOurs(const runtime::Artifact &artifact) const {
    const auto *code = std::get_if<runtime::CpuCode>(&artifact.code);
    const auto &ours = std::get<runtime::CpuCode>(original.code);
    return code && code->image == ours.image && code->scratchBytes == ours.scratchBytes &&
           code->features == ours.features && artifact.parameters == original.parameters &&
           code->prints.size() == ours.prints.size();
  }

  /// What somebody else might have written, well formed.
  static std::string told(Random &random, runtime::Artifact artifact) {
    constexpr const char *texts[] = {"", "\x1b[2J", "\xff\xfe", "x", "../../k", "k\n", "\u202e"};
    artifact.kernel = random.pick(texts);
    runtime::ArtifactParameter &parameter =
        artifact.parameters[random.below(artifact.parameters.size())];
    if (random.oneIn(2))
      parameter.name = random.pick(texts);
    if (random.oneIn(2))
      parameter.value = runtime::ArtifactParameter::Constant(random.pick(edges));
    if (auto *code = std::get_if<runtime::CpuCode>(&artifact.code)) {
      if (random.oneIn(3))
        code->features.push_back(random.pick(texts));
      if (random.oneIn(3))
        code->triple = random.pick(texts);
      if (random.oneIn(2))
        code->image.alignment = static_cast<uint64_t>(random.pick(edges));
      if (random.oneIn(2))
        code->image.addresses.push_back(
            {static_cast<uint64_t>(random.pick(edges)), random.oneIn(2) ? "nosuch" : "expf", 0});
    }
    std::vector<uint8_t> bytes = runtime::serialize(artifact);
    return {bytes.begin(), bytes.end()};
  }

  std::vector<std::string> files;
  runtime::Artifact original;
  Device device = Device::open("cpu", {.threads = 1});
};

} // namespace

std::unique_ptr<Kind> artifactKind() { return std::make_unique<ArtifactKind>(); }

} // namespace nereid::fuzz
