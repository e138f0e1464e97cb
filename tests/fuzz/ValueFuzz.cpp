// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments as the command line reads them, and the files that they name, up to a run on the
// checked device.
#include "../runtime/TemporaryDirectory.h"
#include "GridScope.h"
#include "Kinds.h"
#include "Mutations.h"
#include "Npy.h"
#include "OddPlaces.h"
#include "RunArguments.h"
#include "Summary.h"

#include <unistd.h>
#include <vector>

namespace nereid::fuzz {
namespace {

constexpr const char *valueKernels =
    "import triton\nimport triton.language as tl\n"
    "@triton.jit\ndef scale(x, y, n, s, B: tl.constexpr, mode: tl.constexpr = None):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
    "    v = tl.load(x + i, mask=i < n, other=0)\n"
    "    tl.store(y + i, (v * s).to(y.dtype.element_ty), mask=i < n)\n"
    "@triton.jit\ndef block(d, o, pair):\n"
    "    tl.store(o, tl.sum(d.load([pair[0], pair[1]])).to(o.dtype.element_ty))\n";

/// The grid, then the arguments.
constexpr const char *launches[] = {
    "cdiv(n,B)\nx=rand:f32[64]\ny=empty:f32[64]\nn=64\ns=2\nB=32",
    ("(2, 1, 1)\nx=arange:i32[cdiv(n,2),2]\ny=zeros:i64[8,8]\n"
     "n=30+2\ns=x.shape[1]\nB=16\nmode=\"a\""),
    "x.shape[0]\nx=@x.npy\ny=empty:f16[x.shape[0]*x.stride[0]]\nn=y.shape[0]\ns=-0.5\nB=8",
    "1\nx=@x.npy:bf16\ny=x\nn=3\ns=float('inf')\nB=4\nmode=tl.int8",
    "1\nd=blocks[4,8]:rand:f32[16,8]\no=empty:f32[1]\npair.0=1\npair.1=0",
    "1\nd=blocks[2,4]:@x.npy\no=ones:f64[]\npair.0=o.shape\npair.1=-3",
    "min(n, 3)\nx=randn:f64[8]\ny=empty:f8e5[8]\nn=True\ns=n\nB=next_power_of_2(5)",
};

constexpr const char *valueWords[] = {"zeros",
                                      "empty",
                                      "ones",
                                      "rand",
                                      "randn",
                                      "arange",
                                      "nofill",
                                      "f32",
                                      "f16",
                                      "bf16",
                                      "f64",
                                      "i1",
                                      "u8",
                                      "i64",
                                      "f8e4m3fn",
                                      "f31",
                                      "[",
                                      "]",
                                      "[]",
                                      "[0]",
                                      "[-1]",
                                      "[1<<20]",
                                      "[1<<40]",
                                      "[1<<62,4]",
                                      "[0,1<<62]",
                                      "[64,64]",
                                      "[1,1,1,1,1,1,1,1,1]",
                                      "blocks",
                                      "blocks[4,8]:",
                                      "blocks[]:",
                                      "blocks[3]:",
                                      "@",
                                      "@x.npy",
                                      "@nosuch.npy",
                                      "@.",
                                      "@x.npy:i8",
                                      ":",
                                      "=",
                                      "==",
                                      ",",
                                      "(",
                                      ")",
                                      "x",
                                      "y",
                                      "n",
                                      "s",
                                      "B",
                                      "d",
                                      "o",
                                      "pair",
                                      "pair.0",
                                      "pair.0.1",
                                      "mode",
                                      "x.shape[0]",
                                      "x.shape[9]",
                                      "x.stride[1]",
                                      "n.shape[0]",
                                      ".shape",
                                      "0",
                                      "1",
                                      "-1",
                                      "2",
                                      "3",
                                      "7",
                                      "2147483648",
                                      "9223372036854775807",
                                      "18446744073709551615",
                                      "99999999999999999999",
                                      "1e308",
                                      "0.0",
                                      "-0.0",
                                      "nan",
                                      "inf",
                                      "float('nan')",
                                      "None",
                                      "True",
                                      "False",
                                      "\"relu\"",
                                      "\"\\x1b[2J\"",
                                      "'",
                                      "\"",
                                      "\\",
                                      "tl.float32",
                                      "tl",
                                      "triton",
                                      "cdiv",
                                      "cdiv(1,0)",
                                      "1//0",
                                      "1%0",
                                      "1<<64",
                                      "1<<-1",
                                      "2**63",
                                      "2**-1",
                                      "10**10**10",
                                      "next_power_of_2",
                                      "max",
                                      "min",
                                      "min()",
                                      "lambda x: x",
                                      "[i for i in x]",
                                      "x[0]",
                                      "x + 1",
                                      "\n",
                                      "\t",
                                      "\xff",
                                      "\xe2\x80\xae",
                                      "\x1b[31m",
                                      "\x07",
                                      "not",
                                      "if",
                                      "else",
                                      "is",
                                      "in",
                                      "__import__('os')",
                                      "a.b.c"};

class ValueKind final : public Kind {
public:
  ValueKind() {
    require(chdir(own.path("").c_str()) == 0, "no directory of its own");
    command::writeNpy(device.array(std::vector<float>(24, 1.5f), {6, 4}), "x.npy").commit();
    file = readWhole("x.npy");
  }

  /// The lines of a launch, a 0, and x.npy.
  std::string make(Random &random) override {
    std::string text = random.pick(launches), bytes = file;
    if (random.oneIn(3) && text.find('@') != std::string::npos)
      random.oneIn(2) ? damageBytes(random, bytes) : damageWords(random, bytes, npyWords);
    else if (!random.oneIn(6))
      damageWords(random, text, valueWords);
    std::erase(text, '\0');
    return text + std::string(1, '\0') + bytes;
  }

  Outcome attempt(const std::string &input) override {
    size_t end = std::min(input.find('\0'), input.size() - 1);
    writeWhole("x.npy", input.substr(end + 1));
    std::vector<std::string> lines(1);
    for (char c : input.substr(0, end))
      c == '\n' ? lines.emplace_back() : lines.back() += c;
    std::string grid = lines[0];
    lines.erase(lines.begin());
    return unlessRefused([&] { run(grid, lines); });
  }

private:
  static constexpr const char *npyWords[] = {"'descr'",
                                             "'<f4'",
                                             "'<f8'",
                                             "'>f4'",
                                             "'|b1'",
                                             "'<i2'",
                                             "'<U9'",
                                             "'<c8'",
                                             "True",
                                             "False",
                                             "(",
                                             ")",
                                             "(6, 4)",
                                             "(24,)",
                                             "(0, 9)",
                                             "(-1,)",
                                             "(9999999999,)",
                                             "(18446744073709551616,)",
                                             ",",
                                             ":",
                                             "{",
                                             "}",
                                             "fortran_order",
                                             "shape",
                                             "NUMPY",
                                             "\x93",
                                             "\x02",
                                             "\n",
                                             " ",
                                             "L",
                                             "[('a', '<f4')]"};

  void run(const std::string &gridText, const std::vector<std::string> &texts) {
    command::RunArguments values(device, 1, texts);
    Arguments arguments = values.evaluate();
    bool isBlock = values.find("d");
    Kernel kernel = Module::fromText(valueKernels).kernel(isBlock ? "block" : "scale");
    Launch launch = kernel.prepare(device, arguments);
    Grid grid = Expression(gridText, "--grid")
                    .evaluateGrid(command::GridScope(values, kernel, launch.constants()));
    // More take their time, and are as right.
    constexpr int64_t mostPrograms = 64;
    if (grid.x <= mostPrograms && grid.y <= 2 && grid.z <= 2)
      launch.run(grid);
    for (const NamedArgument &argument : arguments)
      if (const Array *array = argument.value.array())
        require(!command::summarize(argument.name, *array).empty(), "an array has no summary");
  }

  test::TemporaryDirectory own;
  Device device = Device::open("check", {.check = {.warn = [](const Finding &) {}}});
  std::string file;
};

} // namespace

std::unique_ptr<Kind> valueKind() { return std::make_unique<ValueKind>(); }

} // namespace nereid::fuzz
