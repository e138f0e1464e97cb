// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline assembly for the CPU's own assembler, with instructions that every x86-64 has, against
// plain C++.
#include "MeaningTest.h"

#include <bit>
#include <cmath>
#include <random>

using namespace nereid;

namespace {

#if defined(__x86_64__)

class MachineAssemblyTest : public testing::Test {
protected:
  static constexpr size_t count = 60;

  /// Numbers of every size.
  template <typename T> static std::vector<T> numbers(unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<T> values(count);
    for (T &value : values)
      if constexpr (std::is_floating_point_v<T>)
        value = static_cast<T>(static_cast<double>(random() >> 40) / 1000);
      else
        value = static_cast<T>(random());
    return values;
  }

  /// What `call`, of two tiles a and b, gives.
  template <typename R, typename T>
  std::vector<R> compute(const std::string &call, DType type, const std::vector<T> &x,
                         const std::vector<T> &y) {
    Array out = device.empty(type, {static_cast<int64_t>(count)});
    launch("    i = tl.arange(0, 60)\n"
           "    a, b = tl.load(x + i), tl.load(y + i)\n"
           "    tl.store(o + i, tl.inline_asm_elementwise(" +
               call + "))\n",
           {{"x", device.array(x)}, {"y", device.array(y)}, {"o", out}});
    return out.toVector<R>();
  }

  void launch(const std::string &body, const Arguments &arguments) {
    std::string names;
    for (const NamedArgument &argument : arguments)
      names += argument.name + ", ";
    Module::fromText("import triton\nimport triton.language as tl\n@triton.jit\ndef k(" + names +
                     "):\n" + body)
        .kernel("k")
        .launch(device, {}, arguments);
  }

  std::string mistakeOf(const std::string &call) {
    std::vector<uint32_t> x(count);
    try {
      compute<uint32_t>(call, DType::UInt32, x, x);
    } catch (const Error &error) {
      return error.what();
    }
    return "";
  }

  Device device = Device::open("cpu");
};

TEST_F(MachineAssemblyTest, GeneralRegisters) {
  auto x = numbers<uint32_t>(1), y = numbers<uint32_t>(2);
  auto swapped =
      compute<uint32_t>("'bswap $0', '=r,0', [a], tl.uint32, True, 1", DType::UInt32, x, y);
  auto rotated = compute<uint32_t>("'''movl $2, %ecx\n roll %cl, $0''', '=r,0,r,~{ecx}', [a, b], "
                                   "tl.uint32, True, 1",
                                   DType::UInt32, x, y);
  auto wide = numbers<uint64_t>(3), other = numbers<uint64_t>(4);
  auto product = compute<uint64_t>("'imulq $2, $0', '=r,0,r', [a, b], tl.uint64, True, 1",
                                   DType::UInt64, wide, other);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(swapped[i], __builtin_bswap32(x[i]));
    EXPECT_EQ(rotated[i], std::rotl(x[i], static_cast<int>(y[i] & 31)));
    EXPECT_EQ(product[i], wide[i] * other[i]);
  }
}

TEST_F(MachineAssemblyTest, PartsOfRegisters) {
  auto x = numbers<uint32_t>(1), y = numbers<uint32_t>(2);
  auto mixed = compute<uint32_t>("'movl $1, ${0:k}; movb ${2:b}, ${0:b}', '=&r,r,r', [a, b], "
                                 "tl.uint32, True, 1",
                                 DType::UInt32, x, y);
  auto swapped = compute<uint32_t>("'xchgb ${0:h}, ${0:b}', '=Q,0', [a], tl.uint32, True, 1",
                                   DType::UInt32, x, y);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(mixed[i], (x[i] & ~0xffu) | (y[i] & 0xff));
    EXPECT_EQ(swapped[i], (x[i] & 0xffff0000) | (x[i] >> 8 & 0xff) | (x[i] & 0xff) << 8);
  }
}

TEST_F(MachineAssemblyTest, VectorRegisters) {
  auto x = numbers<float>(1), y = numbers<float>(2);
  auto p = numbers<double>(3);
  auto root =
      compute<double>("'sqrtsd $1, $0', '=x,x', [a], tl.float64, True, 1", DType::Float64, p, p);
  auto sum =
      compute<float>("'addss $2, $0', '=x,0,x', [a, b], tl.float32, True, 1", DType::Float32, x, y);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(root[i], std::sqrt(p[i]));
    EXPECT_EQ(sum[i], x[i] + y[i]);
  }
}

TEST_F(MachineAssemblyTest, SeveralLanesInARegister) {
  auto x = numbers<float>(1), y = numbers<float>(2);
  auto least =
      compute<float>("'minps $2, $0', '=x,0,x', [a, b], tl.float32, True, 4", DType::Float32, x, y);
  auto bytes = numbers<uint8_t>(3);
  auto flipped = compute<uint8_t>("'xorl $$0x0f0f0f0f, $0', '=r,0', [a], tl.uint8, True, 4",
                                  DType::UInt8, bytes, bytes);
  auto sums = compute<uint8_t>("'paddusb $2, $0', '=x,0,x', [a, b], tl.uint8, True, 4",
                               DType::UInt8, bytes, flipped);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(least[i], std::min(x[i], y[i]));
    EXPECT_EQ(flipped[i], bytes[i] ^ 0x0f);
    EXPECT_EQ(sums[i], std::min(255, bytes[i] + flipped[i]));
  }
}

TEST_F(MachineAssemblyTest, SeveralResults) {
  auto x = numbers<uint32_t>(1), y = numbers<uint32_t>(2);
  for (uint32_t &divisor : y)
    divisor |= 1;
  Array quotients = device.empty(DType::UInt32, {60}), rests = device.empty(DType::UInt32, {60});
  launch("    i = tl.arange(0, 60)\n"
         "    zero = tl.zeros((60,), tl.uint32)\n"
         "    q, r = tl.inline_asm_elementwise('divl $4', '={ax},={dx},0,1,r',\n"
         "        [tl.load(x + i), zero, tl.load(y + i)], (tl.uint32, tl.uint32), True, 1)\n"
         "    tl.store(o + i, q)\n"
         "    tl.store(p + i, r)\n",
         {{"x", device.array(x)}, {"y", device.array(y)}, {"o", quotients}, {"p", rests}});
  auto q = quotients.toVector<uint32_t>(), r = rests.toVector<uint32_t>();
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(q[i], x[i] / y[i]);
    EXPECT_EQ(r[i], x[i] % y[i]);
  }
}

TEST_F(MachineAssemblyTest, TilesOfAnyShapeAndScalars) {
  Array out = device.empty(DType::Int32, {3 * 5 + 1});
  launch(
      "    i = tl.arange(0, 3)[:, None] * 5 + tl.arange(0, 5)\n"
      "    tl.store(o + i, tl.inline_asm_elementwise('notl $0', '=r,0', [i], tl.int32, True, 1))\n"
      "    tl.store(o + 15, tl.inline_asm_elementwise('notl $0', '=r,0', [7], tl.int32, True, "
      "1))\n",
      {{"o", out}});
  auto given = out.toVector<int32_t>();
  for (int i = 0; i < 15; ++i)
    EXPECT_EQ(given[static_cast<size_t>(i)], ~i);
  EXPECT_EQ(given[15], ~7);
}

TEST_F(MachineAssemblyTest, MistakesAreToldAtTheirPlace) {
  struct {
    const char *call, *mention;
  } cases[] = {
      {"'nosuch $0', '=r,0', [a], tl.uint32, True, 1",
       "invalid instruction mnemonic 'nosuch' [assembly_mistake]"},
      // Nothing but instructions: an assembler can do more.
      {"'.incbin \"/etc/passwd\"', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'bswap $0; .include \"/etc/passwd\"', '=r,0', [a], tl.uint32, True, 1",
       "'.include \"/etc/passwd\"' is no instruction: accepted are"},
      {"'bswap $0\\n .quad k@GOT', '=r,0', [a], tl.uint32, True, 1", "'.quad k@GOT' is no"},
      {"'.p2align 40', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'.fill 3000000000', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'.bss', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'call foo', '=r,0', [a], tl.uint32, True, 1", "'call foo' is no instruction"},
      {"'jmp foo', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'jmp *%rax', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'jmp 1f', '=r,0', [a], tl.uint32, True, 1", "no label 1: stands behind the jump"},
      {"'jmp 1b; 1:', '=r,0', [a], tl.uint32, True, 1", "no label 1: stands before the jump"},
      {"'foo: bswap $0', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'foo = 3', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'add eax, $0', '=r,0', [a], tl.uint32, True, 1", "'add eax, $0' is no instruction"},
      {"'lea k(%rip), %rax', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'movl 1f, $0; 1:', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'movl $$k, $0', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'movl $$1+k, $0', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'movl %fs:0, $0', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'bswap $0 /* x */', '=r,0', [a], tl.uint32, True, 1", "is no instruction"},
      {"'lock lock', '=r,0', [a], tl.uint32, True, 1", "'lock lock' is no instruction"},
      {"'bswap $0', '=r', [a], tl.uint32, True, 1", "1 results and 0 operands"},
      {"'bswap $0', '=r,0,r', [a], tl.uint32, True, 1", "1 results and 2 operands"},
      {"'bswap $0', '=,0', [a], tl.uint32, True, 1", "cannot be read"},
      {"'bswap $0', '=r,0', [a], tl.uint32, True, 4", "a general register has 64 bits"},
      {"'movl ($1), $0', '=r,*m', [a], tl.uint32, True, 1", "asks for memory"},
      {"'bswap $0', '=r,0', [a], tl.uint32, False, 1", "is_pure"},
      {"'bswap $', '=r,0', [a], tl.uint32, True, 1", "'$' names none of the 2 registers"},
      {"'bswap ${', '=r,0', [a], tl.uint32, True, 1", "'${' names none"},
      {"'bswap ${0', '=r,0', [a], tl.uint32, True, 1", "'${0' names none"},
      {"'bswap ${0:', '=r,0', [a], tl.uint32, True, 1", "'${0:' names none"},
      {"'bswap ${0:P}', '=r,0', [a], tl.uint32, True, 1", "'${0:P}' names none"},
      {"'bswap ${:uid}', '=r,0', [a], tl.uint32, True, 1", "'${:uid}' names none"},
      {"'bswap $2', '=r,0', [a], tl.uint32, True, 1", "'$2' names none"},
      {"'bswap $(a$|b', '=r,0', [a], tl.uint32, True, 1", "names none"},
      {"'#}{;;$', '=r,0', [a], tl.uint32, True, 1", "'$' names none"},
      {"'bswap $0', '=m,0', [a], tl.uint32, True, 1", "the constraint 'm'"},
      {"'bswap $0', '=@ccz,0', [a], tl.uint32, True, 1", "cannot be read"},
      {"'bswap $0', '={@ccz},0', [a], tl.uint32, True, 1", "cannot be read"},
      {"'bswap $0', '=r,^', [a], tl.uint32, True, 1", "cannot be read"},
      {"'bswap $0', '=r,m', [a], tl.uint32, True, 1", "the constraint 'm'"},
      {"'bswap $0', '=rm,0', [a], tl.uint32, True, 1", "the constraint 'rm'"},
      {"'bswap $0', '=r,n', [a], tl.uint32, True, 1", "the constraint 'n'"},
      {"'nop', '={ah},{r8},{r10w}', [a, b], tl.uint8, True, 1", "the constraint '{ah}'"},
      {"'bswap $0', '={rsp},0', [a], tl.uint32, True, 1", "the constraint '{rsp}'"},
      {"'bswap $0', '={xmm32},0', [a], tl.uint32, True, 1", "the constraint '{xmm32}'"},
      {"'bswap $0', '=r,0', [a], tl.uint64, True, 1", "the register of result 0"},
      {"'addps $0, $0', '=x,0', [a], tl.float32, True, 4", "the register of result 0"},
      {"'xorl $0, $0', '=r', [], tl.uint32, True, 1", "at least one tile"},
      {"'bswap $0', '=r,0', [a], tl.uint32, True, 8", "pack"},
  };
  for (const auto &[call, mention] : cases) {
    std::string mistake = mistakeOf(call);
    EXPECT_NE(mistake.find(mention), std::string::npos) << call << "\n" << mistake;
    EXPECT_NE(mistake.find(":7:"), std::string::npos) << call << "\n" << mistake;
  }
}

TEST_F(MachineAssemblyTest, TheCheckedDeviceRunsNone) {
  device = Device::open("check");
  std::string refusal = mistakeOf("'bswap $0', '=r,0', [a], tl.uint32, True, 1");
  EXPECT_NE(refusal.find("runs no instructions of the machine"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find(":7:"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("tl.inline_asm_elementwise('bswap $0'"), std::string::npos) << refusal;
}

#endif

} // namespace
