// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every diagnostic of the checker, with its place: "@@" stands
// before the character it points at.
#include "EmitKernel.h"

#include "support/Diagnostics.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

struct Rejection {
  const char *id;
  const char *text;
  /// Part of the rendered message, notes included; may be empty.
  const char *mentions = "";
};

std::ostream &operator<<(std::ostream &out, const Rejection &rejection) {
  return out << rejection.id << ":\n" << rejection.text;
}

struct Marked {
  std::string text;
  unsigned line = 1, column = 1;
};

Marked unmark(std::string text) {
  size_t mark = text.find("@@");
  EXPECT_NE(mark, std::string::npos) << "no @@ in:\n" << text;
  text.erase(mark, 2);
  Marked marked{text, 1, 1};
  for (size_t i = 0; i < mark; ++i) {
    marked.column = text[i] == '\n' ? 1 : marked.column + 1;
    marked.line += text[i] == '\n';
  }
  return marked;
}

void expectRejected(const std::string &whole, const Signature &signature,
                    const Rejection &rejection) {
  Marked marked = unmark(whole);
  Outcome outcome = emitKernel(marked.text, signature);
  EXPECT_EQ(outcome.id, rejection.id) << marked.text << "\n" << outcome.message << outcome.ir;
  EXPECT_EQ(outcome.line, marked.line) << outcome.message;
  EXPECT_EQ(outcome.column, marked.column) << outcome.message;
  EXPECT_NE(outcome.message.find(rejection.mentions), std::string::npos) << outcome.message;
}

class RejectBody : public testing::TestWithParam<Rejection> {};
class RejectModule : public testing::TestWithParam<Rejection> {};

std::string indented(std::string_view body) {
  std::string result;
  size_t start = 0;
  while (start <= body.size()) {
    size_t end = std::min(body.find('\n', start), body.size());
    result += "    " + std::string(body.substr(start, end - start)) + "\n";
    start = end + 1;
  }
  return result;
}

/// The text is the body of a kernel with a float32 pointer, an int32, a uint32, a float32 and B
/// = 16.
TEST_P(RejectBody, AtTheMark) {
  std::string head = "@triton.jit\ndef k(p, n, u, f, B: tl.constexpr):\n"
                     "    x = tl.load(p + tl.arange(0, B))\n";
  expectRejected(head + indented(GetParam().text), {"*f32", "i32", "u32", "f32", "=16"},
                 GetParam());
}

/// The text is a module; its last function is the kernel, with a float32 pointer and an int32.
TEST_P(RejectModule, AtTheMark) { expectRejected(GetParam().text, {"*f32", "i32"}, GetParam()); }

const Rejection names[] = {
    {"unknown_name", "y = @@z + 1"},
    {"unknown_name", "y = x + @@xs", "did you mean 'x'?"},
    {"unknown_name", "y = @@true", "write True"},
    {"unknown_name", "y = @@sorted(x)", "Python has 'sorted', kernels have not"},
    {"unknown_name", "y = @@map(x)", "write tl.map_elementwise(f, x)"},
    {"unknown_name", "y = @@dict(a=x)", "kernels have not"},
    {"unknown_attribute", "y = x.@@astype(tl.int32)", "write x.to(dtype)"},
    {"unknown_name", "y = @@exp(x)", "write tl.exp"},
    {"unknown_name", "y = @@false", "write False"},
    {"unknown_name", "y = @@null", "write None"},
    {"unknown_name", "tl.store(p, @@offsets)"},
    {"unknown_attribute", "y = tl.@@arrange(0, B)", "did you mean 'arange'?"},
    {"unknown_attribute", "y = tl.@@float3", "did you mean 'float32'?"},
    {"unknown_attribute", "y = x.@@summ()", "did you mean 'sum'?"},
    {"unknown_attribute", "y = tl.float32.@@colour"},
    {"unknown_attribute", "y = triton.@@autotune"},
    {"unknown_attribute", "y = (1, 2).@@append(3)"},
    {"unknown_attribute", "y = x.to(tl.@@float)", "write tl.float32"},
    {"unknown_attribute", "y = x.to(tl.@@f16)", "did you mean 'float16'?"},
    {"unknown_attribute", "y = tl.@@pow(x, 2)", "write tl.extra.libdevice.pow(x, y)"},
    {"unknown_attribute", "y = tl.extra.libdevice.@@asim(x)", "did you mean 'asin'?"},
    {"unknown_attribute", "y = tl.extra.@@metal"},
    {"unknown_attribute", "y = tl.make_block_ptr(p, (n,), (1,), (0,), (B,), (0,)).@@dtyp",
     "did you mean 'dtype'?"},
    {"unknown_attribute", "y = tl.make_block_ptr(p, (n,), (1,), (0,), (B,), (0,)).@@sum()"},
    {"not_supported_yet", "y = tl.@@expect_zero(x, x > 0)"},
    {"unknown_attribute", "y = tl.make_tensor_descriptor(p, [n], [1], [B]).@@lod([0])",
     "did you mean 'load'?"},
    {"unknown_attribute", "y = tl.make_tensor_descriptor(p, [n], [1], [B]).@@sum()"},
    {"not_supported_yet", "y = tl.extra.libdevice.@@rcp64h(x)", "not published"},
    {"foreign_name", "y = @@np.exp(x)", "write tl.exp"},
    {"foreign_name", "y = @@math.pi * f", "write 3.14"},
    {"foreign_name", "y = @@torch.nn.functional.relu(x)", "write tl.maximum(x, 0)"},
    {"foreign_name", "y = @@torch.linalg.norm(x)", "kernels compute with triton.language"},
    {"undefined_after_branch", "if n > 0:\n    y = 1\nz = @@y", "only where this holds"},
    {"undefined_after_branch", "if n > 0:\n    pass\nelse:\n    y = 1\nz = @@y",
     "only where this does not hold"},
    {"undefined_after_branch", "if n > 0:\n    if f > 0:\n        y = 1\nelse:\n    y = 2\nz = @@y",
     "k.py:5:12: note: it is assigned only where this holds"},
    {"undefined_after_branch",
     "for i in tl.static_range(2):\n    if n == i:\n        continue\n    y = 1\nz = @@y",
     "a break or continue may come before"},
    {"undefined_after_branch",
     "while n > 0:\n    n -= 1\n    if n > 3:\n        break\n    y = 1\nz = @@y"},
    {"undefined_after_branch", "for i in range(n):\n    y = i\nz = @@y"},
    {"undefined_after_branch", "if n > 0:\n    for i in range(n):\n        pass\nz = @@i"},
    {"undefined_after_branch", "i = x\nfor i in range(n):\n    pass\nz = @@i"},
    {"unknown_attribute", "y = getattr(x, @@'colour')"},
    {"argument_type", "y = zip(@@n)", "a tuple or a range"},
    {"argument_value", "y = tl.standard._log2(@@12)", "a power of two"},
    {"raised", "@@raise ValueError(f'B is {B}')", "note: B is 16"},
    {"raised", "if n > 0:\n    @@raise ValueError('n')", "checked by tl.device_assert"},
    {"undefined_after_branch", "while n > 0:\n    y = 1\n    n -= 1\nz = @@y"},
};

const Rejection calls[] = {
    {"not_callable", "y = @@n(3)"},
    {"not_callable", "y = @@tl.tensor(3)"},
    {"missing_argument", "y = @@tl.arange(0)", "arange(start, end)"},
    {"missing_argument", "y = @@tl.cdiv(n)", "the parameters are"},
    {"too_many_arguments", "y = tl.arange(0, 4, @@2)"},
    {"too_many_arguments", "y = tl.cdiv(n, 4, @@2)"},
    {"too_many_arguments", "y = @@tl.float32.is_floating(1)"},
    {"unknown_argument", "y = tl.load(p, @@msk=n > 0)", "did you mean 'mask'?"},
    {"unknown_argument", "y = tl.sum(x, @@axs=0)", "did you mean 'axis'?"},
    {"unknown_argument", "y = tl.sum(x, @@dim=0)", "did you mean 'axis'?"},
    {"unknown_argument", "y = tl.softmax(x, @@axis=0)", "did you mean 'dim'?"},
    {"unknown_argument", "y = tl.load(p, @@where=n)", "there are: pointer, mask"},
    {"unknown_argument", "y = tl.load(p, @@default=0.0)", "did you mean 'other'?"},
    {"unknown_attribute", "y = tl.@@laod(p)", "did you mean 'load'?"},
    {"unknown_name", "y = x.to(@@float16)", "write tl.float16"},
    {"unknown_attribute", "y = []\ny.@@append(x)", "xs = xs + [x]"},
    {"duplicate_argument", "y = tl.arange(0, 4, start=@@1)"},
    {"duplicate_argument", "y = tl.sum(x, 0, axis=@@1)"},
    {"duplicate_argument",
     "y = tl.dot(x[:, None], x[None, :], input_precision='ieee', allow_tf32=@@True)"},
    {"argument_not_constexpr", "y = tl.arange(0, @@n)",
     "k.py:2:10: note: declared as 'n: tl.constexpr' it is one"},
    {"argument_not_constexpr", "z = n * 2\ny = tl.arange(0, @@z)", "'n: tl.constexpr'"},
    {"argument_not_constexpr", "y = tl.zeros(@@(n,), tl.float32)", "'shape' of zeros"},
    {"argument_not_constexpr", "y = tl.sum(x, axis=@@n)"},
    {"argument_not_constexpr", "tl.static_assert(@@n > 0)"},
    {"argument_type", "y = tl.arange(0, @@1.5)"},
    {"argument_type", "y = tl.exp(@@n)", "x.to(tl.float32)"},
    {"argument_type", "y = x.to(@@3)"},
    {"argument_type", "y = x.to(@@float)", "write tl.float32"},
    {"argument_type", "y = tl.zeros((B,), dtype=@@'float32')",
     "argument 'dtype' of zeros must be a dtype, not str 'float32'"},
    {"argument_type", "y = tl.zeros((B,), dtype=@@'f16')", "write tl.float16"},
    {"argument_type", "y = tl.arange(0, @@tl.int32)", "not dtype int32"},
    {"argument_type", "y = tl.load(p, mask=@@f)"},
    {"argument_type", "tl.store(p, @@x)", "the pointer is a scalar"},
    {"argument_type", "y = tl.sum(@@n)", "argument 'input' of sum must be a tile"},
    {"argument_type", "y = @@tl.softmax(n)", "found inside tl.softmax"},
    {"argument_type", "tl.atomic_add(@@p.to(tl.pointer_type(tl.int8)), 1)"},
    {"argument_type", "tl.atomic_add(@@p.to(tl.pointer_type(tl.float8e5)), 1)",
     "must be a pointer to integers of 32 or 64 bits or floats of 16, 32 or 64"},
    {"argument_type", "tl.atomic_max(@@p.to(tl.pointer_type(tl.float16)), 1)",
     "must be a pointer to integers or floats of 32 or 64 bits, not pointer to float16"},
    {"argument_type", "tl.atomic_min(@@p.to(tl.pointer_type(tl.bfloat16)), 1)"},
    {"argument_type", "tl.atomic_xchg(@@p.to(tl.pointer_type(tl.int16)), 1)"},
    {"argument_type", "tl.atomic_and(@@p, 1)", "must be a pointer to integers of 32 or 64 bits"},
    {"argument_type", "tl.atomic_or(@@p, 1)"},
    {"argument_type", "tl.atomic_xor(@@p.to(tl.pointer_type(tl.int1)), 1)"},
    {"argument_type", "tl.atomic_cas(@@p.to(tl.pointer_type(tl.int8)), 0, 1)",
     "integers or floats of 16, 32 or 64 bits"},
    {"argument_type", "tl.atomic_cas(p, @@x, 1)", "the pointer is a scalar"},
    {"argument_type", "tl.atomic_max(p, 1.0, mask=@@x > 0)", "the pointer is a scalar"},
    {"not_a_pointer", "tl.atomic_cas(@@x, 0, 1)"},
    {"missing_argument", "@@tl.atomic_cas(p, 0)", "atomic_cas(pointer, cmp, val"},
    {"operand_types", "y = @@tl.join(x, x.to(tl.int32))", "'join' is not defined for float32"},
    {"operand_types", "y = @@tl.cat(x, x.to(tl.float64))"},
    {"shape_mismatch", "y = @@tl.join(x, tl.arange(0, 8).to(tl.float32))"},
    {"argument_type", "y = tl.cat(x, @@tl.zeros((8,), tl.float32))", "a tile of shape (16,)"},
    {"argument_type", "y = tl.cat(@@1.0, x)", "must be a tile"},
    {"axis_out_of_range", "y = tl.cat(x, x, dim=@@1)"},
    {"argument_type", "y = tl.split(@@x)", "a tile whose last dimension has size 2"},
    {"cannot_unpack", "@@a, b, c = tl.split(x.reshape(8, 2))"},
    {"argument_value", "y = tl.squeeze(x, @@0)", "a dimension of size 1"},
    {"axis_out_of_range", "y = tl.squeeze(x, @@1)"},
    {"axis_out_of_range", "y = tl.unsqueeze(x, @@2)"},
    {"argument_type", "y = @@x.item()", "a scalar or a tile of one element"},
    {"argument_type", "y = tl.make_tensor_descriptor(@@p + tl.arange(0, B), [n], [1], [B])",
     "a scalar pointer"},
    {"not_a_pointer", "y = tl.make_tensor_descriptor(@@x, [n], [1], [B])"},
    {"argument_value", "y = tl.make_tensor_descriptor(p, @@[n, n], [1], [B])",
     "an integer scalar, or a tuple of one"},
    {"argument_value", "y = tl.make_tensor_descriptor(p, [n, n], @@[1], [4, B])",
     "a tuple of 2 integers, not a tuple of 1"},
    {"argument_value", "y = tl.make_tensor_descriptor(p, [n, n], @@[1, n], [4, B])",
     "a tuple that ends in the constexpr 1"},
    {"argument_value", "y = tl.make_tensor_descriptor(p, [n], @@[2], [B])"},
    {"argument_value", "y = tl.make_tensor_descriptor(p, [], [], @@[])", "of rank 1 to 5"},
    {"argument_not_constexpr", "y = tl.make_tensor_descriptor(p, [n], [1], @@[n])"},
    {"argument_value", "y = tl.make_tensor_descriptor(p, [n], [1], [B], padding_option=@@'one')",
     "'zero' or 'nan'"},
    {"argument_value",
     "q = p.to(tl.pointer_type(tl.int32))\n"
     "y = tl.make_tensor_descriptor(q, [n], [1], [B], @@'nan')",
     "'zero' for integers"},
    {"argument_value", "y = tl.make_tensor_descriptor(p, [n], [1], [B]).load(@@[0, 0])"},
    {"argument_type", "y = tl.make_tensor_descriptor(p, [n], [1], [B]).load(@@[f])",
     "a tuple of integer scalars"},
    {"argument_type", "y = tl.load_tensor_descriptor(@@p, [0])", "a tensor descriptor"},
    {"not_a_pointer", "y = tl.load(@@tl.make_tensor_descriptor(p, [n], [1], [B]))",
     "not a tensor descriptor"},
    {"cannot_broadcast_to",
     "tl.make_tensor_descriptor(p, [n], [1], [B]).store([0], @@tl.zeros((8,), tl.float32))"},
    {"missing_argument", "@@tl.make_tensor_descriptor(p, [n], [1], [B]).store([0])"},
    {"argument_type", "@@tl.make_tensor_descriptor(p, [n], [1], [B]).atomic_or([0], 1)",
     "a descriptor of integers of 32 or 64 bits"},
    {"argument_value",
     "y = @@tl.make_tensor_descriptor(p, [n, n], [n, 1], [4, B]).gather(tl.arange(0, 8), 0)",
     "blocks of one row"},
    {"argument_type", "y = tl.make_tensor_descriptor(p, [n, n], [n, 1], [1, B]).gather(@@x, 0)",
     "a 1-D tile of integers"},
    {"branch_types_differ",
     "if @@n > 0:\n    d = tl.make_tensor_descriptor(p, [n], [1], [B])\n"
     "else:\n    d = tl.make_tensor_descriptor(p, [n], [1], [8], 'nan')",
     "a tensor descriptor of float32 blocks of shape (16,) in one branch but a tensor descriptor "
     "of "
     "float32 blocks of shape (8,), padded with NaN"},
    {"argument_type", "for i in @@range(f):\n    pass"},
    {"argument_type", "y = len(@@n)"},
    {"argument_value", "y = tl.program_id(@@3)"},
    {"argument_value", "y = tl.arange(4, @@4)"},
    {"argument_value", "y = tl.load(p, other=@@0.0)", "needs a mask"},
    {"argument_value", "y = tl.load(p, cache_modifier=@@'.xx')"},
    {"argument_value", "y = tl.load(p, boundary_check=@@(0,))", "block pointers only"},
    {"argument_value", "print_if('x', @@'~3')"},
    {"argument_value", "print_if('x', @@'>0,=1,=2,=3')"},
    {"argument_value", "y = tl.dot(x[:, None], x[None, :], out_dtype=@@tl.bfloat16)"},
    {"argument_value", "y = tl.dot(x[:, None], x[None, :], out_dtype=@@tl.float64)"},
    {"argument_value", "tl.atomic_add(p, 1.0, sem=@@'strong')"},
    {"argument_value", "for i in @@range(0, n, 0):\n    pass"},
    {"argument_value", "y = float(@@'one')"},
    {"argument_value", "y = n.to(tl.float32, fp_downcast_rounding=@@'rtne')"},
};

const Rejection elementwise[] = {
    {"argument_type", "y = tl.extra.libdevice.tanh(@@x.to(tl.float16))", "float32 or float64"},
    {"argument_type", "y = tl.extra.libdevice.tanh(@@n)", "x.to(tl.float32)"},
    {"argument_type", "y = tl.math.tanh(@@p)", "not pointer to float32"},
    {"argument_type", "y = tl.extra.libdevice.mulhi(@@x, n)", "int32, uint32, int64 or uint64"},
    {"argument_type", "y = tl.extra.libdevice.ldexp(x, @@x)", "must be int32"},
    {"argument_type", "y = tl.extra.libdevice.finitef(@@x.to(tl.float64))", "must be float32"},
    {"not_a_value", "y = tl.extra.libdevice.tanh(@@'a')"},
    {"missing_argument", "y = @@tl.extra.libdevice.pow(x)", "'arg1' of pow"},
    {"too_many_arguments", "y = tl.extra.libdevice.tanh(x, @@x)", "tanh takes 1 arguments, not 2"},
    {"unknown_argument", "y = tl.extra.libdevice.tanh(@@x=x)", "no parameter 'x'"},
    {"duplicate_argument", "y = tl.extra.libdevice.pow(x, arg0=@@x)"},
    {"argument_type", "y = tl.clamp(@@n, 0, 1)", "a float"},
    {"argument_type", "y = tl.clamp(x, @@p, 1)", "a float"},
    {"argument_type", "y = tl.umulhi(@@x, n)", "an integer of 32 or 64 bits"},
    {"argument_type", "y = tl.umulhi(n, @@n.to(tl.int16))", "an integer of 32 or 64 bits"},
    {"argument_type", "y = tl.div_rn(@@x.to(tl.float16), x)", "float32 or float64"},
    {"argument_type", "y = tl.fdiv(@@n, n)", "a float"},
    {"argument_type", "y = tl.fma(@@n, n, n)", "a float"},
    {"argument_type", "y = tl.sqrt_rn(@@n)", "float32 or float64"},
    {"argument_type", "y = tl.exp2(@@n)", "float32 or float64"},
    {"missing_argument", "y = @@tl.float32()"},
    {"too_many_arguments", "y = tl.float32(x, @@2)"},
    {"cannot_cast", "y = @@tl.float32(p)"},
    {"static_assert_failed", "y = @@tl.philox_impl(n, n, n, n, n, n)", "uint32 or uint64"},
    {"static_assert_failed", "y = @@tl.philox(0, n.to(tl.int16), 0, 0, 0)", "32 or 64 bits"},
    {"static_assert_failed", "y = @@tl.uint_to_uniform_float(x)", "32 or 64 bits"},
};

const Rejection types[] = {
    {"shape_mismatch", "y = @@x + tl.arange(0, 8)", "(16,) and (8,)"},
    {"shape_mismatch", "y = @@tl.where(x > 0, x, tl.arange(0, 3))"},
    {"cannot_broadcast_to", "y = @@tl.broadcast_to(x, (4, 8))"},
    {"cannot_broadcast_to", "tl.store(p + tl.arange(0, 8), @@x)"},
    {"operand_types", "y = @@x & 1"},
    {"operand_types", "y = @@p + p"},
    {"operand_types", "y = @@x.to(tl.float8e5) + x.to(tl.int32)", "x.to(tl.float32)"},
    {"argument_type", "y = tl.exp(@@x.to(tl.float8e4nv))", "x.to(tl.float32)"},
    {"not_supported_yet", "y = tl.@@expect_zero(x, x > 0)"},
    {"operand_types", "y = @@p * 2"},
    {"operand_types", "y = @@p + 1.5", "moves by integers"},
    {"operand_types", "y = @@p - p"},
    {"operand_types", "y = @@x // 2"},
    {"operand_types", "y = @@n ** 2", "write n * n"},
    {"operand_types", "@@n **= 2", "write n * n"},
    {"operand_types", "y = @@(x + 1) ** 2", "write v * v with v = (x + 1)"},
    {"operand_types", "y = @@x ** 0.5", "write tl.sqrt(x)"},
    {"operand_types", "y = @@2 ** x", "write tl.exp2(x)"},
    {"operand_types", "y = @@x ** f", "write tl.exp2(f * tl.log2(x))"},
    {"operand_types", "y = @@x @ x", "write tl.dot(x, x)"},
    {"operand_types", "y = @@1.5 << 2", "'<<' is not defined for float and int"},
    {"operand_types", "y = @@n == tl.load", "a function is called with (...)"},
    {"operand_types", "y = @@tl.load != 3"},
    {"operand_types", "y = @@x.dtype.is_floating == True"},
    {"operand_types", "y = @@n and u"},
    {"operand_types", "y = @@'a' - 1"},
    {"operand_types", "y = @@x + 'a'"},
    {"operand_types", "y = @@p < 3"},
    {"operand_types", "y = @@None < 3"},
    {"operand_type", "y = @@~x"},
    {"operand_type", "y = @@-p"},
    {"operand_type", "y = @@-'a'"},
    {"operand_type", "y = x.@@T"},
    {"mixed_signedness", "y = @@n // u", "cast one"},
    {"mixed_signedness", "y = @@n % u"},
    {"mixed_signedness", "y = @@n / u"},
    {"constant_out_of_range", "y = @@u + -1"},
    {"constant_out_of_range", "y = @@x.to(tl.int8) + 128"},
    {"constant_out_of_range", "y = @@n + 2147483648"},
    {"cannot_cast", "y = @@p.to(tl.float32)"},
    {"cannot_cast", "y = @@p.to(tl.int32)"},
    {"cannot_cast", "y = @@x.to(tl.int16, bitcast=True)", "number of bits"},
    {"not_a_pointer", "y = tl.load(@@tl.program_id(0))"},
    {"not_a_pointer", "y = tl.load(@@n * 2)"},
    {"not_a_pointer", "tl.store(@@x, x)", "with offsets added"},
    {"not_a_pointer", "tl.store(@@x, p)", "the pointer comes first"},
    {"condition_not_scalar", "if @@x > 0:\n    pass", "(16,)"},
    {"condition_not_scalar", "if @@x > 1:\n    pass", "tl.where(condition, x, y)"},
    {"condition_not_scalar", "while @@x > 0:\n    pass"},
    {"condition_not_scalar", "y = 1 if @@x > 0 else 2"},
    {"carried_type_changed", "a = 0\nfor i in @@range(n):\n    a += f",
     "int32 before the loop but float32"},
    {"carried_type_changed", "a = 0\nfor i in @@range(n):\n    a += f", "start with a = 0.0"},
    {"carried_type_changed", "a = 0.0\nfor i in @@range(n):\n    a += x",
     "start with a = tl.zeros((16,), tl.float32)"},
    {"carried_type_changed", "a = 1\nfor i in @@range(n):\n    a *= x",
     "start with a = tl.full((16,), 1, tl.float32)"},
    {"carried_type_changed", "a = 0\nfor i in @@range(n):\n    a += n.to(tl.int64)",
     "start with a = tl.cast(0, tl.int64)"},
    {"carried_type_changed", "a = x.to(tl.float16)\nfor i in @@range(n):\n    a = a + x",
     "cast what is assigned with .to(tl.float16)"},
    {"carried_type_changed", "a = x\nfor i in @@range(n):\n    a = x[:, None]",
     "a loop keeps the shapes"},
    {"carried_type_changed", "a = 0\nwhile @@a < n:\n    a = f"},
    {"carried_type_changed", "a = None\nfor i in @@range(n):\n    a = i"},
    {"branch_types_differ", "if @@n > 0:\n    y = 1\nelse:\n    y = 1.0"},
    {"branch_types_differ", "y = x\nif @@n > 0:\n    y = 1"},
    {"branch_types_differ", "y = @@1 if n > 0 else 2.0"},
    {"reshape_count", "y = @@tl.reshape(x, (3, 5))"},
    {"dot_shapes", "y = @@tl.dot(x[:, None], x[:, None])"},
    {"dot_types", "y = @@tl.dot(x[:, None], tl.arange(0, B)[None, :])"},
    {"axis_out_of_range", "y = tl.expand_dims(x, @@3)"},
    {"axis_out_of_range", "y = tl.sum(x, axis=@@1)"},
    {"axis_out_of_range", "y = tl.cumsum(x, @@1)"},
    {"axis_out_of_range", "y = tl.cumprod(x, axis=@@-2)"},
    {"argument_type", "y = tl.cumsum(@@n)", "argument 'input' of cumsum must be a tile"},
    {"argument_not_constexpr", "y = tl.cumsum(x, 0, reverse=@@n)"},
    {"argument_type", "y = tl.associative_scan(@@(x, n), 0, tl.maximum)"},
    {"argument_type", "y = tl.gather(x, @@x, 0)", "must be a tile of integers"},
    {"argument_type", "y = tl.gather(x, @@n, 0)", "must be a tile"},
    {"axis_out_of_range", "y = tl.gather(x, tl.arange(0, B), @@1)"},
    {"argument_type", "y = tl.gather(x, @@tl.arange(0, B)[:, None], 0)",
     "a tile as long as src in every dimension but 0"},
    {"argument_type", "y = tl.gather(x.reshape(2, 8), @@tl.arange(0, 9).reshape(3, 3), 1)"},
    {"argument_type", "y = tl.histogram(@@x, 4)", "a tile of integers of rank 1"},
    {"argument_type", "y = tl.histogram(@@tl.arange(0, B).reshape(2, 8), 4)"},
    {"argument_value", "y = tl.histogram(tl.arange(0, B), @@0)", "must be 1 or more"},
    {"argument_not_constexpr", "y = tl.histogram(tl.arange(0, B), @@n)"},
    {"cannot_broadcast_to", "y = tl.histogram(tl.arange(0, B), 4, mask=@@tl.arange(0, 3) > 1)"},
    {"static_assert_failed", "y = @@tl.xor_sum(x)", "xor_sum takes integers"},
    {"static_assert_failed", "y = @@x.reduce_or(0)", "reduce_or takes integers"},
    {"static_assert_failed", "y = @@tl.sort(x, 1)", "dim 1 is out of range for a tile of rank 1"},
    {"static_assert_failed", "y = @@tl.topk(n, 1)",
     "dim None is out of range for a tile of rank 0"},
    {"static_assert_failed", "y = @@tl.flip(x, -2)", "dim -2 is out of range for a tile of rank 1"},
    {"static_assert_failed", "y = @@tl.topk(x, 17)", "topk: k is 17, and the dimension 16"},
    {"static_assert_failed", "y = @@tl.topk(x, 0)", "topk: k is 0, and the dimension 16"},
    {"static_assert_failed", "y = @@tl.bitonic_merge(tl.arange(0, 3))",
     "bitonic_merge: the dimension is no power of two"},
    {"axis_out_of_range", "y = tl.argmax(x, axis=@@1)"},
    {"tile_too_large", "y = @@tl.arange(0, 1048577)"},
    {"tile_too_large", "y = tl.zeros(@@(1024, 1025), tl.float32)"},
    {"tile_too_large", "y = @@tl.arange(0, 2048)[:, None] + tl.arange(0, 1024)[None, :]"},
    {"invalid_shape", "y = tl.full(@@(0,), 1, tl.int32)"},
    {"invalid_shape", "y = tl.full(@@(4, -2), 1, tl.int32)"},
    {"cannot_index", "y = @@x[16]", "the index 16 is out of range"},
    {"cannot_index", "y = @@x[-17]", "the index -17 is out of range"},
    {"cannot_index", "y = @@x[f]", "an integer scalar, None or a slice, not float32"},
    {"cannot_index", "y = @@x[x]", "not float32 tile"},
    {"cannot_index", "y = @@x[1.5]"},
    {"cannot_index", "y = @@x[0, 0]", "at most one index for each of its 1 dimensions"},
    {"cannot_index", "y = @@x[3:3]", "the slice is empty"},
    {"cannot_index", "y = @@x[::0]"},
    {"cannot_index", "@@x[None] = 1", "None inserts a dimension"},
    {"cannot_index", "@@x[16] = 1"},
    {"cannot_index", "y = @@n[0]"},
    {"not_constexpr", "y = @@x[:n]", "choose from it with tl.where"},
    {"not_constexpr", "y = @@x[n:n * 2]", "as in tile[n:n + 4]"},
    {"cannot_index", "y = @@x[n:n + 17]", "longer than the dimension"},
    {"cannot_index", "y = @@x[n:n]", "empty"},
    {"cannot_index", "y = @@x[f:f + 1.0]", "an integer scalar"},
    {"cannot_broadcast_to", "@@x[0:4] = tl.arange(0, 3)"},
    {"cannot_index", "y = @@x[:, :]"},
    {"cannot_index", "y = @@p[n + 1]", "write tl.load(p + n + 1)"},
    {"cannot_index", "y = @@p[n if B else 0]", "write tl.load(p + (n if B else 0))"},
    {"cannot_index", "y = @@p[n, 1]", "write tl.load(p + OFFSETS)"},
    {"cannot_index", "y = @@p.shape[0]", "the size of an array is passed as an argument"},
    {"cannot_index", "y = @@(1, 2)[2]"},
    {"cannot_iterate", "for i in @@x:\n    pass", "for i in range(size)"},
    {"argument_type", "for i in @@range(0, n / 2):\n    pass", "without a fraction"},
    {"argument_not_constexpr", "y = tl.arange(0, @@tl.program_id(0))", "large enough, and a mask"},
    {"cannot_iterate", "for i in @@3:\n    pass"},
    {"cannot_unpack", "@@a, b = 1, 2, 3", "3 values into 2"},
    {"cannot_unpack", "@@a, b = n"},
    {"not_a_value", "tl.device_print('x', @@None)"},
    {"not_a_value", "if @@x.dtype.is_floating:\n    pass", "a function is called with (...)"},
    {"kernel_too_large",
     "for i in tl.static_range(1000):\n    @@for j in tl.static_range(10000):\n        "
     "x = x + n"},
};

const Rejection constants[] = {
    {"constant_division_by_zero", "y = @@B // 0"},
    {"constant_division_by_zero", "y = @@1.0 / 0"},
    {"constant_division_by_zero", "y = @@B % 0"},
    {"constant_division_by_zero", "y = @@0 ** -1"},
    {"negative_shift", "y = @@B << -1"},
    {"constant_overflow", "y = @@2 ** 64"},
    {"constant_overflow", "y = @@18446744073709551615 + 1"},
    {"constant_overflow", "y = @@18446744073709551616"},
    {"constant_overflow", "y = @@10.0 ** 400"},
    {"constant_too_long", "s: tl.constexpr = 'ab'\ny = @@s * 1000000"},
    {"constant_too_long", "t = (1, 2)\nfor i in tl.static_range(40):\n    t = @@t + t"},
    {"constant_too_long", "t = (1, 2)\nfor i in tl.static_range(40):\n    t = @@(t, t)"},
    {"constant_too_long", "t = 'ab'\nfor i in tl.static_range(40):\n    t = @@t + t"},
    {"constant_too_long", "t = @@(1, 2) * 100000"},
    {"argument_not_constexpr", "y: tl.constexpr = n\nz = tl.arange(0, @@y)", "'n: tl.constexpr'"},
    {"not_constexpr", "for i in @@tl.static_range(n):\n    pass", "'n: tl.constexpr'"},
    {"not_constexpr", "y = @@(1, 2)[n]"},
    {"not_constexpr", "y = [i for i in (1, 2) if @@i < n]"},
    {"not_constexpr", "assert n > 0, @@f'{n}'"},
    {"constexpr_reassigned", "y: tl.constexpr = 1\n@@y: tl.constexpr = 2"},
    {"static_assert_failed", "@@tl.static_assert(B == 8, f'B is {B}')",
     "static assertion failed: B is 16"},
    {"static_assert_failed", "assert @@B == 8"},
    {"unroll_too_long", "for i in @@tl.static_range(16385):\n    pass"},
    {"unsupported_control_flow", "while @@True:\n    n += 1", "a break or return ends it"},
    {"unsupported_control_flow", "while @@True:\n    n += 1\n    if B == 0:\n        break"},
    {"unsupported_syntax", "@@break", "'break' outside a loop"},
    {"unsupported_syntax", "if n > 0:\n    @@continue", "'continue' outside a loop"},
    {"kernel_returns_value", "for i in range(n):\n    if i > 3:\n        @@return i"},
    {"branch_types_differ", "a = 0\nfor i in range(n):\n    if @@i > 3:\n        break\n    a = f"},
    {"branch_types_differ",
     "a = 0\nfor i in range(n):\n    if @@i > 3:\n        a = f\n        break"},
    {"undefined_after_branch",
     "for i in range(n):\n    if i == B:\n        break\nelse:\n    a = 1\n@@a"},
    {"not_constexpr", "y = f'{@@n:>3}'", "printed in full: {n}"},
    {"argument_value", "y = f'{@@B:>3q}'", "one that Python knows for int"},
    {"argument_value", "y = f'{@@f.dtype:x}'"},
    {"not_supported_yet",
     "@@tl.inline_asm_elementwise('vabsdiff4.u32 $0, $1;', '=r,r', [n], tl.int32, True, 1)",
     "in 'vabsdiff4.u32 $0, $1'"},
    {"not_supported_yet",
     "tl.inline_asm_elementwise(@@'nop.u32 nop nop', '=r,r', [n], tl.int32, True, 1)"},
    {"not_supported_yet",
     "tl.inline_asm_elementwise('mov.b32 $0, $1;', @@'=x,r', [n], tl.int32, True, 1)",
     "PTX has h, r, l, f and d"},
    {"argument_value",
     "tl.inline_asm_elementwise('mov.b32 $0, $1;', @@'=r', [n], tl.int32, True, 1)"},
    {"argument_value",
     "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [x], tl.int32, True, @@3)"},
    {"argument_value", "y = @@tl.dtype('fp3')", "the name of a type"},
    {"invalid_assignment_target", "@@tl.abs(x)[0] = 1", "of a tile that has a name"},
    {"invalid_assignment_target", "@@p[n] = x + 1", "write tl.store(p + n, x + 1)"},
    {"invalid_assignment_target", "@@p[n] += f", "write tl.store(p + n, tl.load(p + n) + f)"},
    {"invalid_assignment_target", "t = (1, 2)\n@@t[0] = 1", "a tuple is made anew"},
};

const Rejection modules[] = {
    {"not_a_jit_function",
     "def helper(x):\n    return x\n@triton.jit\ndef k(p, n):\n    y = @@helper(n)\n",
     "@triton.jit"},
    {"global_not_constant", "@@N = read_file()\n@triton.jit\ndef k(p, n):\n    y = N + 1\n"},
    {"global_not_constant", "@@N = N + 1\n@triton.jit\ndef k(p, n):\n    y = N + 1\n"},
    {"only_python_knows", "N = 1\nif g():\n    N = 2\n@triton.jit\ndef k(p, n):\n    y = @@N + 1\n",
     "k.py:2:4: note: settled by --define 'g()=True', or False"},
    {"only_python_knows",
     "try:\n    import g\n    N = 1\nexcept E:\n    N = 2\n@triton.jit\ndef k(p, n):\n    y = "
     "@@N\n",
     "k.py:3:5: note: it may be this"},
    {"only_python_knows",
     "import os\nN = @@os.environ['A']\n@triton.jit\ndef k(p, n):\n    y = N\n",
     "settled by --define A=VALUE"},
    {"global_not_constant",
     "N = 1\nfor N in g(): pass\n@triton.jit\ndef k(p, n):\n    y = @@N + 1\n",
     "k.py:2:5: note: bound here"},
    {"global_not_constant", "@@N = g()\n@triton.jit\ndef k(p, n):\n    y = N\n",
     "--define N=VALUE gives it a value"},
    {"global_not_constant",
     "import math\n@@N = math.sqrt(-1)\n@triton.jit\ndef k(p, n):\n    y = N\n"},
    {"unsupported_syntax",
     "@triton.jit\ndef f(x):\n    @@del x\n@triton.jit\ndef k(p, n):\n    y = f(n)\n",
     "k.py:6:9: note: in this call of 'f'"},
    {"global_not_constant", "N, *M = 1, 2\n@triton.jit\ndef k(p, n):\n    y = @@N + 1\n",
     "note: bound here"},
    {"global_not_constant",
     "@triton.jit\ndef f():\n    return 1\n@@f = g(f)\n@triton.jit\ndef k(p, n):\n    y = f()\n"},
    {"foreign_name", "import math\n@triton.jit\ndef k(p, n):\n    y = @@math.exp(1.0)\n",
     "write tl.exp"},
    {"module_not_found", "import lib.part as l\n@triton.jit\ndef k(p, n):\n    y = @@l.f(1.0)\n",
     "no module 'lib.part' in no directory"},
    {"foreign_name", "import torch\n@triton.jit\ndef k(p, n):\n    y = @@torch.zeros(3)\n",
     "write tl.zeros"},
    {"foreign_name", "import numpy as n2\n@triton.jit\ndef k(p, n):\n    y = @@n2.matmul(p, p)\n",
     "a kernel cannot use numpy.matmul"},
    {"foreign_name", "from math import exp\n@triton.jit\ndef k(p, n):\n    y = @@exp(1.0)\n",
     "write tl.exp"},
    {"module_not_found", "from lib import f\n@triton.jit\ndef k(p, n):\n    y = @@f(1.0)\n",
     "--path DIR adds a directory to look in"},
    {"argument_type", "@triton.jit\ndef k(p, @@n):\n    y = tl.load(n + tl.arange(0, 4))\n",
     "k.py:3:17: note: tl.load needs a pointer here"},
    {"argument_type", "@triton.jit\ndef k(p, @@n):\n    tl.store(n, 1)\n",
     "argument 'n' of the kernel must be an array, not a number"},
    {"recursion_too_deep",
     "@triton.jit\ndef f(n):\n    return @@f(n)\n@triton.jit\ndef k(p, n):\n    f(n)\n",
     "in this call of 'f'"},
    {"missing_argument",
     "@triton.jit\ndef f(a, b):\n    return a\n@triton.jit\ndef k(p, n):\n    y = @@f(n)\n",
     "missing argument 'b' of f"},
    {"unknown_name",
     "@triton.jit\ndef f(a):\n    return a + @@q\n@triton.jit\ndef k(p, n):\n    y = f(n)\n",
     "in this call of 'f'"},
    {"argument_not_constexpr",
     "@triton.jit\ndef f(a: tl.constexpr):\n    return tl.arange(0, @@a)\n@triton.jit\n"
     "def k(p, n):\n    y = f(n)\n",
     "declared as 'n: tl.constexpr' it is one"},
    {"argument_not_constexpr",
     "@triton.constexpr_function\ndef f(a):\n    return a + 1\n@triton.jit\ndef k(p, n):\n"
     "    y = f(@@n)\n",
     "declared as 'n: tl.constexpr' it is one"},
    {"raised",
     "@triton.constexpr_function\ndef f(a):\n    if a > 1:\n        @@raise ValueError('big')\n"
     "    return a\n@triton.jit\ndef k(p, n):\n    y = f(2)\n"},
    {"argument_type", "@triton.jit\ndef k(p: tl.const, n):\n    tl.store(@@p + n, 1.0)\n",
     "declared tl.const"},
    {"argument_type", "@triton.jit\ndef k(p: 'tl.const', n):\n    tl.atomic_add(@@p, 1.0)\n"},
    {"argument_type", "@triton.jit\ndef k(p: 'tl.const', n):\n    tl.atomic_cas(@@p, 0, 1)\n"},
    {"argument_type",
     "@triton.jit\ndef k(p: 'tl.const', n):\n"
     "    d = tl.make_tensor_descriptor(p, [n], [1], [8])\n    @@d.store([0], 1.0)\n",
     "a descriptor to write through"},
    {"branch_types_differ",
     "@triton.jit\ndef f(n):\n    @@for i in range(n):\n        if i > 3:\n            return i\n"
     "    return 1.0\n@triton.jit\ndef k(p, n):\n    y = f(n)\n"},
    {"argument_type",
     "@triton.jit\ndef f(a, b):\n    return a > b\n@triton.jit\ndef k(p, n):\n"
     "    y = tl.reduce(tl.arange(0, 4), 0, @@f)\n",
     "a function that returns int32"},
    {"combine_function_body",
     "@triton.jit\ndef f(a, b):\n    tl.device_print('a', a)\n    return a + b\n@triton.jit\n"
     "def k(p, n):\n    y = tl.reduce(tl.arange(0, 8), 0, @@f)\n",
     "this one has a print"},
    {"combine_function_body",
     "@triton.jit\ndef f(a, b):\n    while a > b:\n        a -= b\n    return a\n@triton.jit\n"
     "def k(p, n):\n    y = tl.reduce(tl.arange(0, 8), 0, @@f)\n",
     "this one has a run-time loop"},
    {"kernel_returns_value", "@triton.jit\ndef k(p, n):\n    @@return n\n", "tl.store"},
    {"kernel_returns_value",
     "@triton.jit\ndef k(p, n):\n    if n > 1:\n        return\n    @@return n\n"},
    {"branch_types_differ",
     "@triton.jit\ndef f(n):\n    if @@n > 0:\n        return 1\n    return 1.0\n"
     "@triton.jit\ndef k(p, n):\n    y = f(n)\n"},
};

TEST(CallNotes, StopAfterFive) {
  std::string text =
      "@triton.jit\ndef f(n, d: tl.constexpr):\n    if d == 0:\n        return n + q\n"
      "    return f(n, d - 1)\n@triton.jit\ndef k(p, n):\n    y = f(n, 9)\n";
  std::string note = llvm::formatv(formatOf(DiagnosticId::call_failed_here), "f").str();
  std::string message = emitKernel(text, {"*f32", "i32"}).message;
  size_t count = 0;
  for (size_t at = message.find(note); at != std::string::npos; at = message.find(note, at + 1))
    ++count;
  EXPECT_EQ(count, 5u) << message;
}

INSTANTIATE_TEST_SUITE_P(Names, RejectBody, testing::ValuesIn(names));
INSTANTIATE_TEST_SUITE_P(Calls, RejectBody, testing::ValuesIn(calls));
INSTANTIATE_TEST_SUITE_P(Elementwise, RejectBody, testing::ValuesIn(elementwise));
INSTANTIATE_TEST_SUITE_P(Types, RejectBody, testing::ValuesIn(types));
INSTANTIATE_TEST_SUITE_P(Constants, RejectBody, testing::ValuesIn(constants));
INSTANTIATE_TEST_SUITE_P(Modules, RejectModule, testing::ValuesIn(modules));

} // namespace
} // namespace nereid::test
