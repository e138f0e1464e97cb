// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole command lines, each in a process of its own, as they would be: exit code 0 or 1.
#include "../runtime/TemporaryDirectory.h"
#include "CommandLine.h"
#include "Kinds.h"
#include "Mutations.h"
#include "OddPlaces.h"
#include "nereid/compile.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace nereid::fuzz {
namespace {

constexpr const char *commandKernel =
    "import triton\nimport triton.language as tl\n"
    "@triton.autotune(configs=[triton.Config({'B': 8}), triton.Config({'B': 16})], key=['n'])\n"
    "@triton.jit\ndef add(x, y, n, B: tl.constexpr):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
    "    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)\n"
    "@triton.jit\ndef show(n):\n    tl.device_print('n', n)\n    tl.device_assert(n > 0, 'n')\n";

/// With a space between arguments, which hold none.
constexpr const char *commandLines[] = {
    "run k.py::add -d check -g cdiv(n,B) x=rand:f32[40] y=empty:f32[40] n=40 B=16",
    "run k.py::add --device check --grid 3 x=@x.npy y=x n=6 B=2 --save y=out.npy --format=json",
    "run k.py::show -d check --grid 1 n=3 --find nonfinite --ignore division_by_zero --seed 3",
    "run k.nrd --grid 1 x=ones:f32[16] y=empty:f32[16] n=16 --threads 1",
    "run k.py::show -d check --debug -v -g 2 n=-1 --most-findings 1 --break k.py:8",
    "compile k.py::add --target none -s x=*f32:16,y=*f32,n=i32,B=16 --dump=tile,passes",
    "compile k.py::add -s x=*f32,y=*f32,n=i32,B=16 -o out.nrd --cpu x86-64 --may-overlap",
    "compile k.py::show --signature n=i32 --emit=llvm --target sm_90a --num-warps 4 --maxnreg 64",
    "compile k.py::add --dump=tokens,ast --path . --define torch.version.hip=None",
    "records --merge r.json -o r2.json",
    "cache --clear",
    "explain unknown_name",
    "kernels k.py",
    "devices",
    "completion bash",
    "--version",
    "tune k.py::add -d cpu --grid cdiv(n,B) x=rand:f32[40] y=empty:f32[40] n=40 --records r.json"};

constexpr const char *commandWords[] = {"run",
                                        "compile",
                                        "records",
                                        "cache",
                                        "explain",
                                        "kernels",
                                        "completion",
                                        "devices",
                                        "doctor",
                                        "--help",
                                        "-h",
                                        "--",
                                        "-",
                                        "--grid",
                                        "-g",
                                        "--device",
                                        "-d",
                                        "check",
                                        "cpu",
                                        "cuda",
                                        "cuda:9",
                                        "none",
                                        "--find",
                                        "nonfinite",
                                        "promises",
                                        "order",
                                        "--ignore",
                                        "--break",
                                        "k.py:7",
                                        "k.py:7,pid=0",
                                        "--seed",
                                        "--save",
                                        "--threads",
                                        "--cpu",
                                        "haswell",
                                        "--dump",
                                        "--emit",
                                        "artifact",
                                        "asm",
                                        "object",
                                        "--target",
                                        "sm_80",
                                        "sm_90a",
                                        "--num-warps",
                                        "--num-stages",
                                        "--maxnreg",
                                        "--may-overlap",
                                        "--path",
                                        "--define",
                                        "-o",
                                        "out.nrd",
                                        "out.npy",
                                        "/dev/null",
                                        "/dev/full",
                                        ".",
                                        "",
                                        "=",
                                        ",",
                                        ":",
                                        "::",
                                        "k.py",
                                        "k.py::add",
                                        "k.py::",
                                        "::add",
                                        "k.nrd",
                                        "x.npy",
                                        "nosuch",
                                        "r.json",
                                        "x=1",
                                        "n=0",
                                        "n=40",
                                        "B=16",
                                        "B=3",
                                        "y=x",
                                        "x=@x.npy",
                                        "x=zeros:f32[9]",
                                        "0",
                                        "-1",
                                        "3",
                                        "1e9",
                                        "99999999999999999999",
                                        "18446744073709551616",
                                        "\xff",
                                        "\x1b[2J",
                                        "\xe2\x80\xae",
                                        "'",
                                        "\"",
                                        "*f32",
                                        "i32",
                                        "--format=json",
                                        "--time",
                                        "-v",
                                        "--debug",
                                        "bash",
                                        "fish",
                                        "--list",
                                        "--most-findings",
                                        "--clear",
                                        "%s",
                                        "\\"};

class CommandKind final : public Kind {
public:
  CommandKind() {
    require(chdir(own.path("").c_str()) == 0, "no directory of its own");
    std::vector<uint8_t> bytes =
        compile(Module::fromText(commandKernel).kernel("add"),
                parseSignature("x=*f32,y=*f32,n=i32,B=16"), {.mayOverlap = true})
            .bytes();
    artifact.assign(bytes.begin(), bytes.end());
    std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }";
    head.resize(117, ' ');
    npy = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + head + '\n' + std::string(24, '\0');
  }

  /// Arguments, one a line.
  std::string make(Random &random) override {
    const char *base = random.pick(commandLines);
    while (base == commandLines[std::size(commandLines) - 1] && !random.oneIn(8)) // takes its time
      base = random.pick(commandLines);
    std::istringstream text(base);
    std::vector<std::string> arguments;
    for (std::string argument; text >> argument;)
      arguments.push_back(argument);
    for (size_t changes = random.below(4); changes > 0; --changes)
      damage(random, arguments);
    std::string input;
    for (const std::string &argument : arguments)
      input += argument + '\n';
    return input;
  }

  Outcome attempt(const std::string &input) override {
    writeWhole("k.py", commandKernel);
    writeWhole("k.nrd", artifact);
    writeWhole("x.npy", npy);
    std::fflush(stdout);
    pid_t process = fork();
    require(process >= 0, "no process can be made");
    if (process == 0)
      runAndExit(input);
    int status = 0;
    waitpid(process, &status, 0);
    require(WIFEXITED(status), "the program ended by signal " + std::to_string(WTERMSIG(status)));
    require(WEXITSTATUS(status) <= 1, "exit code " + std::to_string(WEXITSTATUS(status)));
    return WEXITSTATUS(status) == 0 ? Outcome::Accepted : Outcome::Refused;
  }

private:
  static void damage(Random &random, std::vector<std::string> &arguments) {
    size_t position = random.below(arguments.size() + 1);
    bool isAtEnd = position == arguments.size();
    switch (random.below(5)) {
    case 0:
      arguments.insert(arguments.begin() + static_cast<ptrdiff_t>(position),
                       random.pick(commandWords));
      break;
    case 1:
      if (!isAtEnd && arguments.size() > 1)
        arguments.erase(arguments.begin() + static_cast<ptrdiff_t>(position));
      break;
    case 2:
      if (!isAtEnd)
        arguments[position] = random.pick(commandWords);
      break;
    default:
      if (!isAtEnd)
        damageWords(random, arguments[position], commandWords, 2);
      if (!isAtEnd)
        std::erase(arguments[position], '\n');
    }
  }

  [[noreturn]] static void runAndExit(const std::string &input) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    std::vector<std::string> arguments{"nereid"};
    std::istringstream text(input);
    for (std::string argument; std::getline(text, argument);)
      arguments.push_back(argument);
    std::vector<char *> pointers;
    for (std::string &argument : arguments)
      pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    std::_Exit(command::runCommandLine(static_cast<int>(arguments.size()), pointers.data()));
  }

  test::TemporaryDirectory own;
  std::string artifact, npy;
};

} // namespace

std::unique_ptr<Kind> commandKind() { return std::make_unique<CommandKind>(); }

} // namespace nereid::fuzz
