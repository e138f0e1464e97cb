// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every built-in on every executor: the checked device and the CPU run a use of it and must agree,
// and it is compiled for a GPU. What comes of it is docs/reference/conformance.md; with
// NEREID_WRITE_DOCS in the environment, the page is written.
#include "frontend/sema/Builtins.h"
#include "nereid/compile.h"
#include "nereid/nereid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace nereid {
namespace {

struct Use {
  std::string body;
  bool isExpression;
};

const std::map<std::string, Use> &uses() {
  static const std::map<std::string, Use> table = {
#define USE(row, expression) {#row, {expression, true}},
#define STATEMENTS(row, lines) {#row, {lines, false}},
#include "uses.def"
  };
  return table;
}

/// The rows of the table of built-ins, under the names of the table.
const std::vector<std::string> &rows() {
  static const std::vector<std::string> names = {
#define BUILTIN(name, place, signature, meaning) #name,
#define LIBRARY(name, place, meaning) #name,
#include "frontend/sema/builtins.def"
  };
  return names;
}

constexpr const char *prelude = R"(import triton
import triton.language as tl

@triton.jit
def combine(a, b):
    return a + b

@triton.jit
def keep(o, r):
    if isinstance(r, tl.tensor):
        if len(r.shape) > 0:
            flat = tl.ravel(r)
            tl.store(o + tl.arange(0, flat.shape[0]), flat)
        else:
            tl.store(o, r)
    else:
        tl.store(o, r)

@triton.jit
def k(p, q, i, o, n, f, B: tl.constexpr):
    a = tl.arange(0, B)
    x = tl.load(p + a)
    y = tl.load(q + a)
    m = tl.load(i + a)
)";

Kernel kernelOf(const Use &use) {
  std::string text = prelude, body = use.isExpression ? "keep(o, " + use.body + ")" : use.body;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);)
    text += "    " + line + "\n";
  return Module::fromText(text).kernel("k");
}

/// What all arrays hold after a run.
std::vector<double> valuesAfter(const Kernel &kernel, const char *deviceName) {
  Device device = Device::open(deviceName);
  std::vector<float> p(16), q(16);
  std::vector<int32_t> i(16);
  for (size_t at = 0; at < 16; ++at) {
    p[at] = static_cast<float>((at * 7 + 3) % 16) / 16;
    q[at] = static_cast<float>((at * 5 + 1) % 16) / 16;
    i[at] = static_cast<int32_t>((at * 11 + 5) % 16);
  }
  Array arrays[] = {device.array(p), device.array(q), device.array(i),
                    device.zeros(DType::Float32, {256})};
  LaunchOptions quiet{.print = [](std::string_view) {}};
  kernel.launch(device, Grid{1},
                {{"p", arrays[0]},
                 {"q", arrays[1]},
                 {"i", arrays[2]},
                 {"o", arrays[3]},
                 {"n", 9},
                 {"f", 0.5f},
                 {"B", 16}},
                quiet);
  std::vector<double> values;
  for (const Array &array : arrays)
    if (array.dtype() == DType::Int32) {
      for (int32_t value : array.toVector<int32_t>())
        values.push_back(value);
    } else {
      for (float value : array.toVector<float>())
        values.push_back(value);
    }
  return values;
}

/// The first line of what an executor says, without the place.
std::string reasonOf(const Error &error) {
  std::string line = std::string(error.what()).substr(0, std::string(error.what()).find('\n'));
  size_t begin = line.find("error: ");
  line = begin == std::string::npos ? line : line.substr(begin + 7);
  return line.substr(0, line.rfind(" ["));
}

std::string answer(const std::function<void()> &act) {
  try {
    act();
    return "yes";
  } catch (const Error &error) {
    return reasonOf(error);
  }
}

struct Answers {
  std::string check, cpu, gpu;
};

Answers ask(const std::string &row) {
  Kernel kernel = kernelOf(uses().at(row));
  std::vector<double> checked, compiled;
  Answers answers;
  answers.check = answer([&] { checked = valuesAfter(kernel, "check"); });
  answers.cpu = answer([&] { compiled = valuesAfter(kernel, "cpu"); });
  answers.gpu = answer([&] {
    compile(kernel, parseSignature("p=*f32:16,q=*f32:16,i=*i32:16,o=*f32:16,n=i32,f=f32,B=16"),
            {.target = "sm_90a"});
  });
  EXPECT_EQ(answers.check, "yes") << row;
  EXPECT_EQ(answers.cpu, "yes") << row;
  for (size_t at = 0; at < std::min(checked.size(), compiled.size()); ++at)
    EXPECT_NEAR(checked[at], compiled[at], 1e-5 * (1 + std::fabs(checked[at]))) << row << " " << at;
  return answers;
}

TEST(Conformance, EveryBuiltInHasAUse) {
  for (const std::string &row : rows())
    EXPECT_TRUE(uses().contains(row)) << row << " is in no row of uses.def";
  EXPECT_EQ(uses().size(), std::set<std::string>(rows().begin(), rows().end()).size());
}

std::string page() {
  std::string text =
      "# Which built-ins there are, by executor\n\n"
      "Made by `tests/conformance`, which runs or compiles a use of each; `NEREID_WRITE_DOCS=1 "
      "build/release/conformance_test`\nwrites it. `check` is the checked device, and GPUs are "
      "asked "
      "as sm_90a. A descriptor's methods stand under its name.\n\n"
      "| name | check | cpu | NVIDIA GPUs |\n|---|---|---|---|\n";
  for (const std::string &row : rows()) {
    if (!uses().contains(row))
      continue;
    Answers answers = ask(row);
    std::string name = row;
    if (name.starts_with("descriptor_"))
      name.replace(0, 11, "descriptor.");
    text +=
        "| `" + name + "` | " + answers.check + " | " + answers.cpu + " | " + answers.gpu + " |\n";
  }
  text += "\nTriton has these names, which are refused by name here:\n\n";
#define UPSTREAM(name, place, instead, because)                                                    \
  text += std::string("- `" #name "`") +                                                           \
          (std::string_view(instead).empty() ? ": " because : ": write `" instead "`") + "\n";
#include "frontend/sema/upstream.def"
  return text;
}

TEST(Conformance, IsWhatThePageSays) {
  std::string path = std::string(NEREID_SOURCE_DIR) + "/docs/reference/conformance.md";
  std::string text = page();
  if (std::getenv("NEREID_WRITE_DOCS"))
    std::ofstream(path) << text;
  std::ostringstream stored;
  stored << std::ifstream(path).rdbuf();
  EXPECT_EQ(stored.str(), text) << "NEREID_WRITE_DOCS=1 conformance_test writes the page";
}

} // namespace
} // namespace nereid
