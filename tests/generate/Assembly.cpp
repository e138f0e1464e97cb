// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline assembly: instructions of PTX that give the same bits everywhere.
#include "Generator.h"

namespace nereid::generate {

namespace {

struct Instruction {
  const char *text, *constraints;
  DType result;
  std::vector<DType> operands;
  int64_t pack = 1; // elements that one run of the instruction takes
};

const std::vector<Instruction> &instructions() {
  using enum DType;
  static const std::vector<Instruction> all = {
      {"mad.lo.s32 $0, $1, $2, $3;", "=r,r,r,r", Int32, {Int32, Int32, Int32}},
      {"{ .reg .pred p; setp.lt.s32 p, $1, $2; selp.b32 $0, $2, $1, p; }",
       "=r,r,r",
       Int32,
       {Int32, Int32}},
      {"lop3.b32 $0, $1, $2, $3, 0x96;", "=r,r,r,r", Int32, {Int32, Int32, Int32}},
      {"prmt.b32 $0, $1, $2, 0x5410;", "=r,r,r", Int32, {Int32, Int32}},
      {"popc.b32 $0, $1;", "=r,r", Int32, {Int32}},
      {"clz.b32 $0, $1;", "=r,r", Int32, {UInt32}},
      {"brev.b32 $0, $1;", "=r,r", UInt32, {UInt32}},
      {"mul.lo.u32 $0, $1, $2;", "=r,r,r", UInt32, {UInt32, UInt32}},
      {"sub.u32 $0, $2, $1;", "=r,r,r", UInt32, {UInt32, UInt32}},
      {"mul.wide.s32 $0, $1, $2;", "=l,r,r", Int64, {Int32, Int32}},
      {"max.u64 $0, $1, $2;", "=l,l,l", UInt64, {UInt64, UInt64}},
      {"shr.u64 $0, $1, 7;", "=l,l", UInt64, {UInt64}},
      {"add.s16 $0, $1, $2;", "=h,h,h", Int16, {Int16, Int16}},
      {"xor.b32 $0, $1, $2;", "=r,r,r", Int16, {Int16, Int16}, 2},
      {"and.b32 $0, $1, $2;", "=r,r,r", Int8, {Int8, Int8}, 4},
      {"not.b32 $0, $1;", "=r,r", UInt8, {UInt8}, 4},
      {"fma.rn.f32 $0, $1, $2, $3;", "=f,f,f,f", Float32, {Float32, Float32, Float32}},
      {"sub.f32 $0, $1, $2;", "=f,f,f", Float32, {Float32, Float32}},
      {"abs.f32 $0, $1;", "=f,f", Float32, {Float32}},
      {"cvt.rn.f32.s32 $0, $1;", "=f,r", Float32, {Int32}},
      {"mul.f64 $0, $1, $2;", "=d,d,d", Float64, {Float64, Float64}},
      {"cvt.f64.f32 $0, $1;", "=d,f", Float64, {Float32}},
  };
  return all;
}

} // namespace

bool Generator::hasInstruction(const ValueType &type) {
  for (const Instruction &instruction : instructions())
    if (instruction.result == type.dtype && elements(type.shape) % instruction.pack == 0)
      return true;
  return false;
}

Expression Generator::assembly(const ValueType &type, int depth, Demand) {
  std::vector<Instruction> fitting;
  for (const Instruction &instruction : instructions())
    if (instruction.result == type.dtype && elements(type.shape) % instruction.pack == 0)
      fitting.push_back(instruction);
  Instruction chosen = random.pick(fitting);
  std::string operands;
  for (DType operand : chosen.operands)
    operands += (operands.empty() ? "" : ", ") + expression({operand, type.shape}, depth).text;
  return {"tl.inline_asm_elementwise('" + std::string(chosen.text) + "', '" + chosen.constraints +
              "', [" + operands + "], dtype=" + text(type.dtype) + ", is_pure=" +
              random.pick({"True", "False"}) + ", pack=" + std::to_string(chosen.pack) + ")",
          type};
}

} // namespace nereid::generate
