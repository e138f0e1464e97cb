// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel is compiled for: signatures, definitions, grids, stages, options, as texts and as
// values of the C++ interface.
#include "Kinds.h"
#include "Mutations.h"
#include "nereid/compile.h"
#include "nereid/devices.h"
#include "nereid/expression.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <vector>

namespace nereid::fuzz {
namespace {

constexpr const char *signatureKernels =
    "import os\nimport torch\nimport triton\nimport triton.language as tl\n"
    "WIDE: tl.constexpr = 4 if torch.version.hip is None else 8\n"
    "@triton.jit\ndef add(x, y, n, B: tl.constexpr, M: tl.constexpr = None):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
    "    tl.store(y + i, tl.load(x + i, mask=i < n) + WIDE, mask=i < n)\n"
    "@triton.jit\ndef block(d, o, pair, B: tl.constexpr = 8):\n"
    "    t = d.load([pair[0], pair[1]])\n"
    "    tl.store(o, tl.sum(t).to(o.dtype.element_ty))\n"
    "@triton.jit\ndef shape(x, n: tl.constexpr, t: tl.constexpr, s: tl.constexpr = 'a'):\n"
    "    tl.static_assert(len(s) > 0)\n"
    "    tl.store(x + tl.arange(0, n), tl.full((n,), 1, t))\n";

struct Base {
  const char *kernel, *signature, *grid;
};
constexpr Base bases[] = {
    {"add", "x=*f32:16,y=*f32:16,n=i32,B=64", "cdiv(n, 64)"},
    {"add", "x=*fp16,y=*bf16:16,n=i64:16,B=32,M=\"x\"", "(cdiv(n, B), 2)"},
    {"add", "x=*i8,y=*u64,n=1,B=16,M=True", "lambda meta: (meta['B'],)"},
    {"block", "d=tensordesc<f32[8,8]>:16,o=*f32,pair.0=i32,pair.1=i32,B=8", "[n, 1, 1]"},
    {"block", "d=tensordesc<f16[4,16]>,o=*f16,pair.0=0,pair.1=u32:16", "next_power_of_2(n)"},
    {"shape", "x=*f64,n=128,t=tl.float64,s=\"abc\"", "max(n // 3, 1) if n > 2 else 1"},
    {"shape", "x=*fp8e5,n=4*8,t=tl.float8e5", "x.shape[0] * x.stride[0]"},
};

constexpr const char *signatureWords[] = {"x",
                                          "y",
                                          "n",
                                          "B",
                                          "M",
                                          "d",
                                          "o",
                                          "pair",
                                          "pair.0",
                                          "pair.1.0",
                                          "s",
                                          "t",
                                          "=",
                                          ",",
                                          ":",
                                          ":16",
                                          ":8",
                                          ":0",
                                          ":-16",
                                          "*",
                                          "**",
                                          "*f32",
                                          "*i1",
                                          "*u16",
                                          "*bf16",
                                          "f32",
                                          "i64",
                                          "u8",
                                          "i1",
                                          "i128",
                                          "f8e4m3fn",
                                          "fp8e5",
                                          "tensordesc<",
                                          ">",
                                          "tensordesc<i8[16]>",
                                          "[1,1]",
                                          "[]",
                                          "[0]",
                                          "[-1]",
                                          "[3,5,7]",
                                          "[1048576]",
                                          "1",
                                          "0",
                                          "-1",
                                          "3",
                                          "64",
                                          "1048576",
                                          "2147483647",
                                          "2147483648",
                                          "-2147483648",
                                          "9223372036854775807",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "1e400",
                                          "1.5",
                                          "inf",
                                          "nan",
                                          "float('nan')",
                                          "True",
                                          "None",
                                          "\"text\"",
                                          "'",
                                          "\"",
                                          "\\",
                                          "\\x1b",
                                          "(1, 2)",
                                          "((1,),)",
                                          "[",
                                          "]",
                                          "(",
                                          ")",
                                          "tl.float32",
                                          "tl.int1",
                                          "tl.nosuch",
                                          "1 << 62",
                                          "2 ** 40",
                                          "+",
                                          "-",
                                          "//",
                                          "%",
                                          "0)",
                                          "min",
                                          "max",
                                          "cdiv",
                                          "next_power_of_2",
                                          "lambda",
                                          "if",
                                          "else",
                                          "for",
                                          "in",
                                          "and",
                                          "not",
                                          "is",
                                          ".",
                                          "..",
                                          "shape",
                                          "stride",
                                          "x.shape[0]",
                                          "x.shape[9]",
                                          "[0]",
                                          "len",
                                          "'a' * 100000",
                                          "\xff",
                                          "\xc3\xa9",
                                          "\x1b[31m",
                                          "\n",
                                          "torch",
                                          "os.environ",
                                          "tile",
                                          "asm",
                                          "passes",
                                          "all",
                                          "ptx",
                                          "sass",
                                          "sm_90a",
                                          "sm_9",
                                          "sm_",
                                          "none",
                                          "cpu",
                                          "host",
                                          "haswell",
                                          "x86-64",
                                          "znver4",
                                          "i386"};
constexpr const char *definitions[] = {
    "torch.version.hip=None",       "torch.version.hip is not None=True",        "WIDE=4",
    "os.environ.get('A', '0')='1'", "torch.cuda.get_device_capability()=(9, 0)", "M=tl.float16"};
constexpr const char *stageLists[] = {"",     "",       "", "ast", "tokens,types", "tile,passes",
                                      "llvm", "storage"};
constexpr const char *targets[] = {"none", "none", "none", "none", "none",   "none",
                                   "none", "none", "cpu",  "cpu",  "sm_90a", "sm_80"};

class SignatureKind final : public Kind {
public:
  /// Lines "what text". What a key may hold twice is the last one's.
  std::string make(Random &random) override {
    const Base &base = random.pick(bases);
    std::map<std::string, std::string> lines = {
        {"kernel", base.kernel},
        {"signature", base.signature},
        {"grid", base.grid},
        {"define", random.pick(definitions)},
        {"stages", random.pick(stageLists)},
        {"target", random.pick(targets)},
        {"cpu", random.oneIn(8) ? random.pick(cpus) : ""},
    };
    for (const char *number : {"warps", "stagecount", "registers"})
      if (random.oneIn(12))
        lines[number] = std::to_string(random.oneIn(2) ? 4 : random.pick(edges));
    for (size_t changes = random.below(3); changes > 0; --changes) {
      constexpr const char *damaged[] = {"signature", "signature", "signature", "grid", "grid",
                                         "define",    "stages",    "target",    "cpu"};
      damageWords(random, lines[random.pick(damaged)], signatureWords);
    }
    if (random.oneIn(8)) // the same as values, from which no reader has kept anything away
      lines["values"] = std::to_string(random.bits());
    std::string input;
    for (auto &[name, text] : lines) {
      std::replace(text.begin(), text.end(), '\n', ' ');
      input += name + ' ' + text + '\n';
    }
    return input;
  }

  Outcome attempt(const std::string &input) override {
    std::istringstream text(input);
    std::map<std::string, std::string> lines;
    for (std::string line; std::getline(text, line);)
      lines[line.substr(0, line.find(' '))] =
          line.substr(std::min(line.find(' '), line.size() - 1) + 1);
    // Each is tried whatever becomes of the others.
    Outcome grid = unlessRefused([&] { Expression(lines["grid"]).evaluateGrid(launched); });
    Outcome compiled = unlessRefused([&] { compileFor(lines); });
    bool isAccepted = grid == Outcome::Accepted && compiled == Outcome::Accepted;
    return isAccepted ? Outcome::Accepted : Outcome::Refused;
  }

private:
  static unsigned numberOf(const std::string &text) {
    return static_cast<unsigned>(std::strtoull(text.c_str(), nullptr, 10));
  }

  static void compileFor(std::map<std::string, std::string> &lines) {
    ModuleOptions options;
    if (!lines["define"].empty())
      options.definitions.push_back(parseDefinition(lines["define"], "--define"));
    Kernel kernel = Module::fromText(signatureKernels, "k.py", options).kernel(lines["kernel"]);
    Signature signature = parseSignature(lines["signature"]);
    if (!lines["values"].empty())
      changeValues(signature, std::stoull(lines["values"]));
    CompileOptions compileOptions{.target = lines["target"],
                                  .cpu = lines["cpu"],
                                  .tuning = {numberOf(lines["warps"]),
                                             numberOf(lines["stagecount"]),
                                             numberOf(lines["registers"])},
                                  .stages = parseStages(lines["stages"])};
    if (compileOptions.stages.empty())
      compile(kernel, signature, compileOptions);
    else
      dump(kernel, signature, compileOptions);
  }

  static void changeValues(Signature &signature, uint64_t seed) {
    Random random(seed, 0);
    if (signature.empty())
      return;
    SignatureEntry &entry = signature[random.below(signature.size())];
    auto *type = std::get_if<ArgumentType>(&entry.value);
    switch (random.below(6)) {
    case 0:
      entry.name = random.oneIn(2) ? "" : "pair..0";
      break;
    case 1:
      entry.value = Argument(random.pick(edges));
      break;
    case 2:
      entry.value = Argument(std::string(random.below(4) * 1000, '\0'));
      break;
    case 3:
      signature.push_back(signature[random.below(signature.size())]);
      break;
    default:
      if (!type)
        type = &entry.value.emplace<ArgumentType>();
      type->dtype = static_cast<DType>(random.below(allDTypes().size()));
      type->isPointer = random.oneIn(2);
      type->isMultipleOf16 = random.oneIn(2);
      type->padsWithNan = random.oneIn(2);
      for (size_t rank = random.below(7); rank > 0; --rank)
        type->blockShape.push_back(random.oneIn(3) ? random.pick(edges) : 4);
    }
  }

  std::vector<std::string> cpus = cpuNames();
  Device device = Device::open("check");
  Arguments launched = {{"n", 1000}, {"B", 64}, {"x", device.empty(DType::Float32, {4, 3})}};
};

} // namespace

std::unique_ptr<Kind> signatureKind() { return std::make_unique<SignatureKind>(); }

} // namespace nereid::fuzz
