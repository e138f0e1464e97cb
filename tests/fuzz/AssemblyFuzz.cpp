// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline assembly. PTX that is understood is run on the checked device, all PTX is compiled for a
// GPU now and then, and x86's is assembled; what would be run of it is nobody's but the author's.
#include "Kinds.h"
#include "Mutations.h"
#include "nereid/compile.h"

#include <functional>
#include <sstream>
#include <vector>

namespace nereid::fuzz {
namespace {

/// Text, constraints, arguments, result types, pack.
struct Call {
  const char *text, *constraints, *arguments, *types, *pack;
};

constexpr Call ptxCalls[] = {
    {"add.s32 $0, $1, $2;", "=r,r,r", "[a, b]", "tl.int32", "1"},
    {"{ .reg .b32 t; not.b32 t, $2; or.b32 $0, $1, t; }", "=r,r,r", "[a, b]", "tl.int32", "1"},
    {"lop3.b32 $0, $1, $2, 0x0f0f0f0f, 0xca;", "=r,r,r", "[a, b]", "tl.uint32", "1"},
    {"{ .reg .pred p; setp.lt.f32 p, $1, $2; selp.f32 $0, $1, $2, p; }", "=f,f,f", "[x, x]",
     "tl.float32", "1"},
    {"{ .reg .pred p; setp.gt.s32 p, $1, 0; @p mov.b32 $0, $1; @!p neg.s32 $0, $1; }", "=&r,r",
     "[a]", "tl.int32", "1"},
    {"cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f", "[x, x]", "tl.int16", "1"},
    {"{ .reg .b16 h, l; mov.b32 {l, h}, $1; mov.b32 $0, {h, l}; }", "=r,r", "[a]", "tl.int32", "1"},
    {"shf.l.wrap.b32 $0, $1, $2, 7; // turned", "=r,r,r", "[a, b]", "tl.int32", "1"},
    {"mul.wide.s32 $0, $1, $2;", "=l,r,r", "[a, b]", "tl.int64", "1"},
    {"bfe.u32 $0, $1, 3, 5;\nbfi.b32 $0, $0, $1, 8, 8;", "=r,r", "[a]", "tl.int32", "1"},
    {"prmt.b32 $0, $2, $3, 0x5140; prmt.b32 $1, $2, $3, 0x7362;", "=r,=r,r,r", "[h, h]",
     "(tl.int8, tl.int8)", "4"},
    {"ex2.approx.ftz.f32 $0, $1; rcp.rn.f32 $0, $0;", "=f,f", "[x]", "tl.float32", "1"},
    {"dp4a.s32.s32 $0, $1, $2, $3;", "=r,r,r,r", "[a, b, a]", "tl.int32", "1"},
    {"fma.rn.f16x2 $0, $1, $1, $1;", "=r,r", "[f]", "tl.float16", "2"},
    {"mov.u32 $0, %tid.x;", "=r", "[]", "tl.int32", "1"},
    {"ld.global.u32 $0, [$1];", "=r,l", "[p + i]", "tl.int32", "1"},
    {"bar.sync 0; add.u32 $0, $1, $2;", "=r,r,n", "[a, 3]", "tl.int32", "1"},
};

constexpr Call machineCalls[] = {
    {"bswap $0", "=r,0", "[a]", "tl.int32", "1"},
    {"movl $2, %ecx\n roll %cl, $0", "=r,0,r,~{ecx}", "[a, b]", "tl.int32", "1"},
    {"movl $1, ${0:k}; movb ${2:b}, ${0:b}", "=&r,r,r", "[a, b]", "tl.int32", "1"},
    {"minps $2, $0", "=x,0,x", "[x, x]", "tl.float32", "4"},
    {"xorl $$0x0f0f0f0f, $0", "=r,0", "[h]", "tl.int8", "4"},
    {"divl $4", "={ax},={dx},0,1,r", "[a, a, b]", "(tl.int32, tl.int32)", "1"},
    {"1: decl $0; jnz 1b", "=r,0", "[a]", "tl.int32", "1"},
    {"testl $1, $1; jz 1f; notl $0; 1:", "=r,r,0", "[a, b]", "tl.int32", "1"},
    {"movl ($1), $0", "=r,r", "[p + i]", "tl.int32", "1"},
};

constexpr const char *assemblyWords[] = {"$0",
                                         "$1",
                                         "$2",
                                         "$9",
                                         "$",
                                         "$$",
                                         "${0:b}",
                                         "${1:q}",
                                         "${",
                                         "%eax",
                                         "%rip",
                                         "%",
                                         "{",
                                         "}",
                                         ";",
                                         ",",
                                         ":",
                                         "1:",
                                         "1b",
                                         "1f",
                                         ".reg .b32 t;",
                                         ".reg .pred p;",
                                         ".reg .f32 u<4>;",
                                         ".b16",
                                         ".b32",
                                         ".s64",
                                         ".f32",
                                         ".f64",
                                         ".u8",
                                         ".pred",
                                         ".rn",
                                         ".sat",
                                         ".ftz",
                                         ".wide",
                                         ".hi",
                                         ".x2",
                                         ".satfinite",
                                         "@p",
                                         "@!p",
                                         "mov",
                                         "add",
                                         "cvt",
                                         "setp",
                                         "selp",
                                         "ex2",
                                         "prmt",
                                         "fma",
                                         "bar",
                                         "membar.gl;",
                                         "trap;",
                                         "exit;",
                                         "bra L;",
                                         "L:",
                                         "ret;",
                                         "0x",
                                         "0xffffffff",
                                         "0f3f800000",
                                         "0d",
                                         "-1",
                                         "1e9",
                                         "4294967296",
                                         "99999999999999999999",
                                         "//",
                                         "/*",
                                         "*/",
                                         "#",
                                         "nop",
                                         "ret",
                                         "int3",
                                         "syscall",
                                         "call foo",
                                         ".incbin \"x\"",
                                         ".byte 0x90",
                                         ".p2align 40",
                                         ".fill 3000000000",
                                         ".macro m",
                                         ".rept 9",
                                         "lock",
                                         "rep",
                                         "(%rax)",
                                         "8(%rsp)",
                                         "k(%rip)",
                                         "k@GOT",
                                         "=r",
                                         "=&r",
                                         "r",
                                         "n",
                                         "h",
                                         "l",
                                         "d",
                                         "f",
                                         "x",
                                         "={ax}",
                                         "~{ecx}",
                                         "~{memory}",
                                         "0",
                                         "1",
                                         "7",
                                         "i",
                                         "m",
                                         "=m",
                                         "*r",
                                         "tl.float16",
                                         "tl.int64",
                                         "tl.int1",
                                         "tl.uint8",
                                         "tl.float8e5",
                                         "a",
                                         "b",
                                         "x",
                                         "h",
                                         "p",
                                         "None",
                                         "(",
                                         ")",
                                         "[",
                                         "]",
                                         "\\",
                                         "\\x00",
                                         "'",
                                         "\n",
                                         "2",
                                         "3",
                                         "1024",
                                         "a.to(tl.int64)",
                                         "\xff",
                                         "\xc3\xa9",
                                         "vaddps",
                                         "%zmm31",
                                         "{%k1}",
                                         "movq",
                                         "leaq"};

class AssemblyKind final : public Kind {
public:
  /// Five lines: text (its line ends as \n), constraints, arguments, types, pack.
  std::string make(Random &random) override {
    const Call &call = random.oneIn(6) ? random.pick(machineCalls) : random.pick(ptxCalls);
    std::string parts[] = {call.text, call.constraints, call.arguments, call.types, call.pack};
    if (random.oneIn(4))
      damageWords(random, parts[1 + random.below(4)], assemblyWords, 1);
    if (!random.oneIn(4))
      damageWords(random, parts[0], assemblyWords);
    std::string input;
    for (const std::string &part : parts)
      input += escaped(part) + '\n';
    return input;
  }

  Outcome attempt(const std::string &input) override {
    std::istringstream lines(input);
    std::string parts[5];
    for (std::string &part : parts)
      std::getline(lines, part);
    // As in Python's literals; what else the text holds stands in them as it is.
    std::string text = "import triton\nimport triton.language as tl\n@triton.jit\ndef k(p, q, o):\n"
                       "    i = tl.arange(0, 32)\n    a = tl.load(p + i)\n    b = i + 1\n"
                       "    x = a.to(tl.float32)\n    h = a.to(tl.int8)\n    f = a.to(tl.float16)\n"
                       "    r = tl.inline_asm_elementwise('''" +
                       parts[0] + "''', '''" + parts[1] + "''', " + parts[2] + ", " + parts[3] +
                       ", True, " + parts[4] + ")\n    tl.store(o + i, r)\n";
    size_t choice = std::hash<std::string>()(input);
    return unlessRefused([&] {
      Kernel kernel = Module::fromText(text).kernel("k");
      Signature signature = parseSignature("p=*i32:16,q=*f32:16,o=*i32:16");
      bool isMachine = isForMachine(parts[0]);
      if (!isMachine)
        compile(kernel, signature, {.target = choice % 16 ? "none" : "sm_90a"});
      if (isMachine || choice % 64 == 0)
        compile(kernel, signature, {.target = "cpu"});
      if (!isMachine)
        kernel.launch(device, {1}, {{"p", in}, {"q", in}, {"o", out}});
    });
  }

private:
  /// The first word has no point in it.
  static bool isForMachine(const std::string &text) {
    size_t begin = text.find_first_not_of(" {\\n"), end = text.find_first_of(" $;,\\", begin);
    return begin != std::string::npos &&
           text.substr(begin, end - begin).find('.') == std::string::npos;
  }
  static std::string escaped(const std::string &text) {
    std::string result;
    for (char c : text)
      result += c == '\n' ? "\\n" : std::string(1, c);
    return result;
  }

  Device device = Device::open("check");
  Array in = device.zeros(DType::Int32, {32}), out = device.zeros(DType::Int32, {32});
};

} // namespace

std::unique_ptr<Kind> assemblyKind() { return std::make_unique<AssemblyKind>(); }

} // namespace nereid::fuzz
