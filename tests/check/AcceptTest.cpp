// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are accepted, and the operations they become.
#include "EmitKernel.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

struct Accepted {
  const char *name;
  const char *text;
  /// Texts that the IR holds, in this order; one that starts with "~" must not come after the last.
  std::vector<std::string> pieces;
  Signature signature = {"*f32", "i32", "u32", "f32", "=16"};
};

std::ostream &operator<<(std::ostream &out, const Accepted &accepted) {
  return out << accepted.name;
}

void expectIr(const std::string &text, const Signature &signature,
              const std::vector<std::string> &pieces) {
  Outcome outcome = emitKernel(text, signature);
  ASSERT_EQ(outcome.id, "") << outcome.message;
  EXPECT_TRUE(outcome.isVerified) << outcome.ir;
  size_t position = 0;
  for (const std::string &piece : pieces) {
    if (piece.starts_with('~')) {
      EXPECT_EQ(outcome.ir.find(piece.substr(1), position), std::string::npos)
          << "unwanted: " << piece << "\n"
          << outcome.ir;
      continue;
    }
    size_t found = outcome.ir.find(piece, position);
    ASSERT_NE(found, std::string::npos) << "missing: " << piece << "\n" << outcome.ir;
    position = found + piece.size();
  }
}

class AcceptBody : public testing::TestWithParam<Accepted> {};
class AcceptModule : public testing::TestWithParam<Accepted> {};

/// The text is the body of a kernel with p, n, u, f and B, where x holds 16 floats.
TEST_P(AcceptBody, Becomes) {
  std::string text = "@triton.jit\ndef k(p, n, u, f, B: tl.constexpr):\n"
                     "    x = tl.load(p + tl.arange(0, B))\n    ";
  for (char c : std::string(GetParam().text))
    text += c == '\n' ? "\n    " : std::string(1, c);
  expectIr(text + "\n", GetParam().signature, GetParam().pieces);
}

TEST_P(AcceptModule, Becomes) {
  expectIr(GetParam().text, GetParam().signature, GetParam().pieces);
}

std::string nameOf(const testing::TestParamInfo<Accepted> &info) { return info.param.name; }

const Accepted operators[] = {
    {"LogicalMethods",
     "y = (x > 1).logical_and(n).logical_or(x < f)",
     {"arith.cmpf", "arith.cmpi", "arith.andi", "arith.ori"}},
    {"TruePromotesIntegers", "tl.store(p, n / 2)", {"arith.sitofp", "arith.divf", ": f32"}},
    {"FloorDivideTruncates", "tl.store(p, n // 2)", {"arith.divsi"}},
    {"UnsignedDivision", "tl.store(p, u // 2)", {"arith.divui"}},
    {"UnsignedRemainder", "tl.store(p, u % 3)", {"arith.remui"}},
    {"FloatRemainder", "tl.store(p, f % 3)", {"arith.remf"}},
    {"LiteralKeepsHalf", "y = x.to(tl.float16) * 2.0", {"arith.mulf", "tensor<16xf16>"}},
    {"AssignedNumberIsATensor",
     "s = 2.0\ntl.store(p + tl.arange(0, B), x.to(tl.float16) * s)",
     {"arith.extf", "arith.mulf", "tensor<16xf32>"}},
    {"LiteralKeepsByte",
     "tl.store(p + tl.arange(0, B), x.to(tl.int8) + 1)",
     {"arith.addi", "tensor<16xi8>"}},
    {"HalfDivisionIsFloat",
     "tl.store(p + tl.arange(0, B), x.to(tl.float16) / 2.0)",
     {"arith.truncf", "arith.extf", "arith.divf", "tensor<16xf32>"}},
    {"RoundingOfNarrowerFloats",
     "tl.store(p + tl.arange(0, B), x.to(tl.float16, fp_downcast_rounding='rtne'))",
     {"arith.truncf"}},
    {"RoundingOfTheSameType",
     "tl.store(p, n.to(tl.int32, fp_downcast_rounding='rtne'))",
     {"arith.sitofp"}},
    {"ArithmeticShift", "tl.store(p, n >> 1)", {"arith.shrsi"}},
    {"LogicalShift", "tl.store(p, u >> 1)", {"arith.shrui"}},
    {"ShiftSignOfTheLeft", "tl.store(p, n >> u)", {"arith.shrsi"}},
    {"NotEqualIsUnordered", "tl.store(p, (f != f).to(tl.float32))", {"arith.cmpf une"}},
    {"OrderedCompare", "tl.store(p, (f <= 1.0).to(tl.float32))", {"arith.cmpf ole"}},
    {"SignedCompare", "tl.store(p, n < 3)", {"arith.cmpi slt", "arith.uitofp"}},
    {"UnsignedCompare", "tl.store(p, u < 3)", {"arith.cmpi ult"}},
    {"MixedCompareIsUnsigned", "tl.store(p, n < u)", {"arith.cmpi ult"}},
    {"NegateFloat", "tl.store(p, -f)", {"arith.negf"}},
    {"NegateInteger", "tl.store(p, -n)", {"arith.subi"}},
    {"Invert", "tl.store(p, ~n)", {"arith.xori"}},
    {"NotIsCompare", "if not n:\n    tl.store(p, 1.0)", {"arith.cmpi ne", "arith.xori", "scf.if"}},
    {"Chained", "if 0 < n < 10:\n    tl.store(p, 1.0)", {"cmpi sgt", "cmpi slt", "andi", "scf.if"}},
    {"UnsignedOffsetExtends", "tl.store(p + u, 1.0)", {"arith.extui", "tile.offset", ", i64"}},
    {"SignedOffsetStays", "tl.store(p + n, 1.0)", {"tile.offset", ", i32"}},
    {"OffsetFromTheLeft", "tl.store(n + p, 1.0)", {"tile.offset %arg0, %arg1"}},
    {"PointerMinus", "tl.store(p - n, 1.0)", {"arith.subi", "tile.offset"}},
    {"Broadcasts",
     "y = x[:, None] * x[None, :]",
     {"expand_dims", "axis 1", "axis 0", "tile.broadcast", "arith.mulf", "tensor<16x16xf32>"}},
    {"RankExtension", "y = x + x[None, :]", {"tensor<1x16xf32>", "arith.addf", "tensor<1x16xf32>"}},
    {"DecayedDivisionTruncates", "a = -7\nb = a // 2\ntl.store(p, b)", {"constant -3.0"}},
    {"LiteralDivisionFloors", "tl.store(p, -7 // 2)", {"constant -4.0"}},
    {"PythonPower",
     "y = tl.zeros((2 ** 3,), tl.float32)\ntl.store(p + tl.arange(0, 8), y)",
     {"tensor<8xf32>"}},
    {"NoneIs", "if p is None:\n    tl.store(p, 1.0)", {"tile.load", "~tile.store"}},
    {"ShortCircuit", "if B == 8 and unknown:\n    tl.store(p, 1.0)", {"tile.load", "~tile.store"}},
    {"BoolAnd", "y = n > 0 and u > 0", {"arith.andi"}},
    {"ConstantWithBool", "if True and n > 0:\n    tl.store(p, 1.0)", {"cmpi sgt", "scf.if"}},
    {"FloatLiteralOutsideFloat32", "tl.store(p, n * 1e300)", {"arith.sitofp", "f64"}},
};

const Accepted casts[] = {
    {"FloatToBool", "y = x.to(tl.int1)", {"arith.cmpf une"}},
    {"IntToBool", "y = n.to(tl.int1)", {"arith.cmpi ne"}},
    {"BoolToInt", "y = (n > 0).to(tl.int32)", {"arith.extui"}},
    {"HalfToIntThroughFloat", "y = x.to(tl.float16).to(tl.int32)", {"truncf", "extf", "fptosi"}},
    {"BrainToHalfThroughFloat",
     "y = x.to(tl.bfloat16).to(tl.float16)",
     {"truncf", "bf16", "extf", "truncf", "f16"}},
    {"FloatToUnsigned", "y = x.to(tl.uint8)", {"arith.fptoui"}},
    {"PointerToInteger", "y = p.to(tl.int64)", {"tile.ptr_to_int"}},
    {"PointerToPointer",
     "y = p.to(tl.pointer_type(tl.int8))\ntl.store(y, n)",
     {"tile.ptr_cast", "trunci"}},
    {"IntegerToPointer",
     "y = n.to(tl.pointer_type(tl.float32))\ntl.store(y, 1.0)",
     {"extsi", "tile.int_to_ptr"}},
    {"Bitcast", "y = x.to(tl.int32, bitcast=True)", {"arith.bitcast"}},
    {"BitcastOfSignIsNothing", "tl.store(p, n.to(tl.uint32, bitcast=True))", {"arith.uitofp"}},
    {"ElementTypeOfAPointer", "y = n.to(p.dtype.element_ty)", {"arith.sitofp"}},
};

const Accepted memory[] = {
    {"BlockPointersKnowTheirElement",
     "b = tl.make_block_ptr(p, (n,), (1,), (0,), (B,), (0,))\n"
     "tl.store(b, (x * 2).to(b.dtype.element_ty))",
     {"tile.store"}},
    {"MaskAndOther",
     "y = tl.load(p + tl.arange(0, B), mask=tl.arange(0, B) < n, other=0)",
     {"tile.load", "mask", "other"}},
    {"ScalarMask",
     "y = tl.load(p + tl.arange(0, B), mask=n > 0)",
     {"tile.splat", "tensor<16xi1>", "mask"}},
    {"MaskWidensPointers", "y = tl.load(p, mask=n > 0)", {"tile.load %arg0 mask"}},
    {"StoreBroadcastsValue",
     "tl.store(p + tl.arange(0, B), 1)",
     {"constant dense<1.000000e+00> : tensor<16xf32>", "tile.store"}},
    {"OneElementThroughScalar",
     "y = tl.zeros((1, 1), tl.float32)\ntl.store(p, y)",
     {"tile.reshape", "-> f32", "tile.store"}},
    {"Cache",
     "tl.store(p, 1.0, cache_modifier='.cs', eviction_policy='evict_first')",
     {"cache", "eviction"}},
    {"AtomicAdd",
     "y = tl.atomic_add(p, 1, sem='relaxed', scope='cta')",
     {"tile.atomic_rmw", "fadd", "relaxed", "cta"}},
    {"AtomicMasked",
     "tl.atomic_add(p + tl.arange(0, B), x, mask=tl.arange(0, B) < n)",
     {"tile.atomic_rmw", "mask"}},
    {"AtomicMaxOfFloats",
     "tl.atomic_max(p, f, sem='release')",
     {"tile.ptr_cast", "tile.atomic_rmw", "smax", "release", "tile.ptr_cast", "tile.atomic_rmw",
      "umin", "release", "arith.select"}},
    {"AtomicMinOfUnsigned",
     "tl.atomic_min(p.to(tl.pointer_type(tl.uint32)), 1)",
     {"tile.atomic_rmw", "umin", "acq_rel", "gpu"}},
    {"AtomicCas",
     "y = tl.atomic_cas(p + tl.arange(0, B), 0, x, sem='acquire', scope='sys')",
     {"tile.atomic_cas", "acquire", "sys"}},
    {"DescriptorMasksEveryDimension",
     "d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [4, B])\ny = d.load([n, 0])\n"
     "d.store([0, n], y)",
     {"cmpi sge", "cmpi slt", "cmpi sge", "cmpi slt", "tile.load", "mask", "other"}},
    {"BlockPointer",
     "bp = tl.make_block_ptr(p, shape=(n, n), strides=(n, 1), offsets=(0, 0), block_shape=(4, B), "
     "order=(1, 0))\nfor i in range(n):\n    y = tl.load(bp, boundary_check=(0, 1), "
     "padding_option='nan')\n"
     "    bp = bp.advance((0, B))",
     {"scf.for", "-> (i64, i64)", "cmpi sge", "cmpi slt", "tile.load", "mask", "other",
      "arith.addi", "scf.yield"}},
    {"BlockPointerStore",
     "bp = tl.make_block_ptr(p, (n,), (1,), (n,), (B,), (0,))\ntl.store(bp, x, "
     "boundary_check=(0,))",
     {"tile.offset", "cmpi slt", "tile.store", "mask"}},
    {"BlockPointerInBranch",
     "bp = tl.make_block_ptr(p, (n,), (1,), (0,), (B,), (0,))\nif n > 0:\n    bp = tl.advance(bp, "
     "(B,))\n"
     "tl.store(bp, x)",
     {"scf.if", "-> (i64)", "tile.store"}},
};

const Accepted shapes[] = {
    {"Arange", "y = tl.arange(2, 9)", {"tile.range 2 to 9 : tensor<7xi32>"}},
    {"FullKeepsDigits",
     "y = tl.full((4,), 0.1, tl.float64) + f",
     {"arith.constant dense<1.000000e-01> : tensor<4xf64>"}},
    {"ZerosLike",
     "y = x + tl.zeros_like(x) * tl.ones_like(n)",
     {"dense<0.000000e+00> : tensor<16xf32>", "addf"}},
    {"ReshapeVariadic", "y = x.reshape(4, 4)", {"tile.reshape", "tensor<4x4xf32>"}},
    {"ReshapeTuple", "y = tl.reshape(x, (2, 8)).T", {"tile.permute", "[1, 0]", "tensor<8x2xf32>"}},
    {"Permute", "y = x.reshape(1, 4, 4).permute(2, 0, 1)", {"tensor<4x1x4xf32>"}},
    {"TransSwapsTheLastTwo",
     "y = tl.trans(x.reshape(2, 2, 4))",
     {"[0, 2, 1]", "tensor<2x4x2xf32>"}},
    {"ExpandSeveral", "y = tl.expand_dims(x, (0, -1))", {"tensor<1x16x1xf32>"}},
    {"BroadcastTo", "y = tl.broadcast_to(x, (4, B))", {"tensor<4x16xf32>"}},
    {"Broadcast",
     "a, b = tl.broadcast(x[:, None], x[None, :])\nc = a + b",
     {"arith.addf", "tensor<16x16xf32>"}},
    {"ScalarIndexing", "y = n[None]", {"tile.splat", "tensor<1xi32>"}},
    {"ShapeAttribute", "y = tl.arange(0, x.shape[0] * 2)", {"tensor<32xi32>"}},
    {"AssignedNumberAsShape", "m = B * 2\ny = tl.arange(0, m)", {"tensor<32xi32>"}},
};

const Accepted functions[] = {
    {"Where", "y = tl.where(x > 0, x, 0)", {"cmpf ogt", "arith.select", "tensor<16xf32>"}},
    {"WhereOfLiterals", "y = tl.where(n > 0, 1, 0)", {"arith.select", "i32"}},
    {"WhereScalarCondition", "y = tl.where(n > 0, x, 0.0)", {"arith.select", "tensor<16xf32>"}},
    {"WherePointers",
     "y = tl.where(n > 0, p, p + 1)\ntl.store(y, 1.0)",
     {"arith.select", "!tile.ptr<f32>"}},
    {"MaximumIgnoresNaN", "y = tl.maximum(x, 0.0)", {"arith.maxnumf"}},
    {"MaximumPropagatesNaN",
     "y = tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL)",
     {"arith.maximumf"}},
    {"MaximumOfBrainIsFloat",
     "y = tl.maximum(x.to(tl.bfloat16), x.to(tl.bfloat16))",
     {"arith.maxnumf", "f32"}},
    {"UnsignedMinimum", "y = tl.minimum(u, 3)", {"arith.minui"}},
    {"PythonMin",
     "y = tl.arange(0, min(B, 5))\nz = max(n, 2, 3)",
     {"tensor<5xi32>", "arith.maxsi"}},
    {"Rounding", "y = tl.floor(x) + tl.ceil(x)", {"math.floor", "math.ceil"}},
    {"Trigonometry",
     "y = tl.sin(x) + tl.cos(x) + tl.erf(x) + tl.rsqrt(x) + tl.log2(x)",
     {"math.sin", "math.cos", "math.erf", "math.rsqrt", "math.log2"}},
    {"Clamp", "y = tl.clamp(x, 0.0, f)", {"arith.maxnumf", "arith.minnumf", "tensor<16xf32>"}},
    {"ClampPropagatesNaN",
     "y = tl.clamp(x, 0.0, 1.0, propagate_nan=tl.PropagateNan.ALL)",
     {"arith.maximumf", "arith.minimumf"}},
    {"RoundedOnce",
     "y = tl.fma(x, 2.0, f) + tl.math.fma(x.to(tl.float16), 2.0, 1.0)",
     {"math.fma", "tensor<16xf32>", "math.fma", "tensor<16xf16>"}},
    {"Quotients",
     "y = tl.fdiv(x, 3.0) + tl.div_rn(x, x) + tl.math.sqrt_rn(x)\nz = tl.fdiv(x.to(tl.float16), x)",
     {"arith.divf", "arith.divf", "math.sqrt", "arith.divf"}},
    {"UpperHalves",
     "y = tl.umulhi(u, 0x80000000) + tl.math.umulhi(n, n).to(tl.uint32)",
     {"arith.mului_extended", "arith.mului_extended"}},
    {"NamedArithmetic",
     "y = tl.add(n, 1) + tl.sub(n, 2) + tl.mul(n, n, sanitize_overflow=False)",
     {"arith.addi", "arith.subi", "arith.muli"}},
    {"LibdeviceGoesByManyPaths",
     "y = tl.extra.libdevice.tanh(x) + tl.extra.cuda.libdevice.asin(x) + tl.math.tanh(x)\n"
     "z = tl.libdevice.atan2(x, f) + tl.extra.hip.libdevice.round(x)",
     {"math.tanh", "math.asin", "math.tanh", "math.atan2", "math.round"}},
    {"LibdevicePromotes",
     "y = tl.extra.libdevice.pow(x, f.to(tl.float64))",
     {"arith.extf", "math.powf", "tensor<16xf64>"}},
    {"LibdevicePowersOfIntegers",
     "y = tl.extra.libdevice.pow(x, 2)",
     {"math.powf", "tensor<16xf64>", "arith.truncf"}},
    {"LibdeviceNamesItsParameters",
     "y = tl.extra.libdevice.atan2(arg1=x, arg0=f)",
     {"tile.splat", "math.atan2"}},
    {"LibdeviceCountsBits",
     "y = tl.extra.libdevice.popc(n) + tl.extra.libdevice.clz(n.to(tl.int64))",
     {"math.ctpop", "math.ctlz", "i64 to i32"}},
    {"ConstexprsMayBeRunTimeValues",
     "y: tl.constexpr = B * tl.program_id(0)\nz = x + y",
     {"tile.program_id", "arith.muli", "arith.sitofp", "arith.addf"}},
    {"ConstexprsBecomeVariables",
     "y: tl.constexpr = 2\nz = tl.arange(0, y)\nfor i in range(n):\n    y += i\nw = z + y",
     {"tensor<2xi32>", "scf.for", "iter_args"}},
    {"IntegerTypesByWidth",
     "y = x.to(tl.core.get_int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=True), "
     "bitcast=True)\nz = y.to(tl.get_int_dtype(8, False))",
     {"arith.bitcast", "tensor<16xi32>", "arith.trunci", "tensor<16xi8>"}},
    {"DtypesAreConstexprsToo",
     "t: tl.constexpr = tl.float16.value\ny = x.to(t) + tl.zeros((B,), x.dtype.value)",
     {"arith.truncf", "xf16"}},
    {"DtypesConvert",
     "y = tl.float32(n) + tl.float16(0.5) + tl.int32(x)",
     {"arith.sitofp", "arith.fptosi"}},
    {"OnesRavelView",
     "y = tl.ones((2, 8), tl.float32) + x.view(2, 8)\nz = tl.ravel(y)",
     {"dense<1.000000e+00> : tensor<2x8xf32>", "addf", "-> tensor<16xf32>"}},
    {"ToTensorAndCast", "y = tl.to_tensor(3) + tl.cast(n, tl.int64)", {"extsi", "addi", "i64"}},
    {"MaxConstancy", "y = tl.max_constancy(x, (4,))", {"tile.hint", "constancy", "[4]"}},
    {"ListAndTuple",
     "t = list(range(3)) + tuple((n, 4))\ny = tl.zeros(t[1:3], tl.float32) + f",
     {"tensor<1x2xf32>"}},
    {"MathModule",
     "y = tl.math.exp2(x) + tl.sqrt(x) + x.log()",
     {"math.exp2", "math.sqrt", "math.log"}},
    {"AbsSigned", "y = tl.abs(n) + abs(-3)", {"math.absi", "constant 3"}},
    {"AbsOfALiteralHasItsType", "y = x.to(tl.int8) * tl.abs(-3)", {"arith.muli", "xi32"}},
    {"AbsUnsigned", "y = tl.abs(u)", {"tile.load", "~absi"}},
    {"Sigmoid", "y = tl.sigmoid(x)", {"arith.negf", "math.exp", "arith.divf"}},
    {"Cdiv",
     "y = tl.cdiv(n, B)\nz = tl.arange(0, tl.cdiv(10, 3))\nw = tl.arange(0, triton.cdiv(9, 4))",
     {"arith.divsi", "tensor<4xi32>", "tensor<3xi32>"}},
    {"NextPowerOfTwo", "y = tl.arange(0, triton.next_power_of_2(9))", {"tensor<16xi32>"}},
    {"DotDefault", "y = tl.dot(x[:, None], x[None, :])", {"tile.dot", "tf32", "tensor<16x16xf32>"}},
    {"DotAccumulates",
     "a = tl.zeros((B, B), tl.float32)\nh = x.to(tl.float16)\na = tl.dot(h[:, None], h[None, :], "
     "a, "
     "allow_tf32=False)",
     {"tile.dot", "ieee", "tensor<16x1xf16>, tensor<1x16xf16> -> tensor<16x16xf32>"}},
    {"DotOfBytes", "h = x.to(tl.int8)\na = tl.dot(h[:, None], h[None, :])", {"tile.dot", "xi32>"}},
    {"DotHalfOut",
     "h = x.to(tl.float16)\na = tl.dot(h[:, None], h[None, :], out_dtype=tl.float16)",
     {"tile.dot", "-> tensor<16x16xf16>"}},
    {"DotBatched", "a = x.reshape(4, 2, 2)\nb = tl.dot(a, a)", {"tile.dot", "tensor<4x2x2xf32>"}},
    {"SumWidensBytes", "y = tl.sum(x.to(tl.int8))", {"extsi", "tile.reduce", "arith.addi"}},
    {"SumOfBools", "y = tl.sum(x > 0)\ntl.store(p, y)", {"extui", "tile.reduce", "uitofp"}},
    {"SumOfHalvesIsRoundedOnce",
     "y = tl.sum(x.to(tl.float16))",
     {"tile.reduce", "tensor<16xf32>", "arith.addf", ": f32", "arith.truncf", "f32 to f16"}},
    {"SumAxis",
     "y = tl.sum(x.reshape(2, 8), axis=1, keep_dims=True)",
     {"axis 1", "tensor<2xf32>", "tensor<2x1xf32>"}},
    {"SumOfAll", "y = tl.sum(x.reshape(2, 8))", {"tile.reshape", "tensor<16xf32>", "-> f32"}},
    {"MaxWidensHalf",
     "y = tl.max(x.to(tl.float16), axis=0)",
     {"extf", "tile.reduce", "maxnumf", "f32"}},
    {"MaxOfUnsignedBytesIsSigned", "y = tl.max(x.to(tl.uint8))", {"extui", "maxsi"}},
    {"ArgMax",
     "y = tl.argmax(x.reshape(2, 8), 1)",
     {"tile.range 0 to 8", "tile.reduce", "tensor<2xi32>"}},
    {"ArgMaxNegativeAxis", "y = tl.argmin(x.reshape(2, 8), -1)", {"tile.range 0 to 8", "axis 1"}},
    {"MaxWithIndices", "v, i = tl.max(x, 0, return_indices=True)", {"tile.reduce", "f32, i32"}},
    {"Softmax", "y = tl.softmax(x)", {"maxnumf", "math.exp", "arith.addf", "arith.divf"}},
    {"SoftmaxOfRows", "y = tl.softmax(x.reshape(2, 8), 1)", {"axis 1", "tensor<2x1xf32>", "divf"}},
    {"CumsumWidens", "y = tl.cumsum(x.to(tl.uint8))", {"tile.scan", "tensor<16xi32>", "addi"}},
    {"CumsumInAnotherType",
     "y = tl.cumsum(x.to(tl.int8), dtype=tl.int64)",
     {"tile.scan", "tensor<16xi64>"}},
    {"CumsumReverse", "y = x.reshape(2, 8).cumsum(-1, reverse=True)", {"axis 1 reverse"}},
    {"CumprodOfHalvesIsRoundedOnce",
     "y = tl.cumprod(x.to(tl.float16))",
     {"tile.scan", "tensor<16xf32>", "mulf", "truncf"}},
    {"ScanBuiltinFunction",
     "y = tl.associative_scan(x, axis=0, combine_fn=tl.maximum)",
     {"tile.scan", "maxnumf"}},
    {"XorSum", "y = tl.xor_sum(tl.arange(0, B))", {"tile.reduce", "xori"}},
    {"ReduceOr", "y = tl.arange(0, B).reduce_or(0, keep_dims=True)", {"tile.reduce", "ori"}},
    {"Gather",
     "y = tl.gather(x, tl.arange(0, 8).to(tl.int8), 0)",
     {"tile.assert", "0 <= index < 16", "tile.gather", "tensor<8xf32>"}},
    {"Histogram",
     "y = tl.histogram(tl.arange(0, B), 5, mask=x > 0)",
     {"tile.histogram", "mask", "-> tensor<5xi32>"}},
    {"SortIsALoop", "y = tl.sort(x)", {"scf.for", "scf.for", "tile.gather"}},
    {"ReduceBuiltinFunction", "y = tl.reduce(x, 0, tl.maximum)", {"tile.reduce", "maxnumf"}},
    {"Hints",
     "y = tl.multiple_of(n, 16) + tl.max_contiguous(tl.arange(0, B), (B,))",
     {"tile.hint", "divisibility", "tile.hint", "contiguity"}},
    {"Assume", "tl.assume(n > 0)\ntl.assume(B > 0)", {"tile.assume", "~tile.assume"}},
    {"Swizzle",
     "i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), n, n, 4)",
     {"arith.minsi"}},
};

const Accepted debugging[] = {
    {"Assert", "assert n <= B, 'too long'", {"tile.assert", "too long"}},
    {"AssertTile",
     "tl.device_assert(x > 0, 'positive', mask=tl.arange(0, B) < n)",
     {"arith.ori", "tile.assert", "tensor<16xi1>"}},
    {"AssertKnown",
     "assert B == 16\ntl.static_assert(B > 8, f'{B}')",
     {"tile.load", "~tile.assert"}},
    {"DevicePrint",
     "tl.device_print('n is', n, u, hex=True)",
     {"tile.print", "per_element", "\" n is: \"", "signed [true, false]", "hex"}},
    {"PrintFString",
     "print(f'n = {n}, B = {B}')",
     {"tile.print", "inline", "\"n = \", \", B = 16\""}},
    {"PrintIf",
     "print_if(f'x = {x}', '>0,=1')",
     {"program_id 0", "sgt", "program_id 1", "eq", "scf.if", "tile.print", "debug"}},
    {"PrintIfAlways", "print_if(f'x = {x}', '')", {"tile.print", "debug", "~scf.if"}},
    {"StaticPrint", "tl.static_print('B', B)", {"tile.load", "~tile.print"}},
    {"Barrier", "tl.debug_barrier()", {"tile.load"}},
};

const Accepted control[] = {
    {"FunctionsAreComparedWithNamesAndNone",
     "if tl.load == 'load':\n    tl.store(p, 1.0)\nif tl.load == None:\n    tl.store(p, 2.0)\n"
     "if tl.load != tl.store:\n    tl.store(p, 3.0)",
     {"~1.000000e+00", "~2.000000e+00", "3.000000e+00"}},
    {"ForCarries",
     "a = 0\nfor i in range(n):\n    a += i\ntl.store(p, a)",
     {"scf.for", "iter_args", "arith.addi", "scf.yield", "arith.sitofp"}},
    {"ForFromTo",
     "for i in range(2, n, B):\n    tl.store(p + i, 1.0)",
     {"constant 2", "constant 16", "scf.for"}},
    {"ForDown",
     "for i in range(10, 0, -3):\n    tl.store(p + i, 1.0)",
     {"scf.for %arg4 = %c0", "to %c10", "step %c3", "arith.subi"}},
    {"ForUnsigned",
     "for i in range(u):\n    tl.store(p + i, 1.0)",
     {"extui", "i64", "scf.for", "trunci"}},
    {"ForOptions",
     "for i in tl.range(0, n, 1, num_stages=3):\n    tl.store(p + i, 1.0)",
     {"tile.num_stages = 3"}},
    {"BreakIsAWhile",
     "for i in range(n):\n    if i > f:\n        break\n    tl.store(p + i, f)",
     {"scf.while", "arith.cmpi slt", "scf.condition", "scf.if", "tile.store", "scf.yield",
      "~scf.for"}},
    {"PrunedBreakStaysAFor",
     "for i in range(n):\n    if B == 0:\n        break\n    tl.store(p, 1.0)",
     {"scf.for", "tile.store", "~scf.while"}},
    {"PrunedBreakOfAWhile",
     "while n > 0:\n    n -= 1\n    if B == 0:\n        break",
     {"scf.while (%arg4 = %arg1) : (i32) -> i32"}},
    {"EndlessWhile", "while True:\n    n -= 1\n    if n < 5:\n        break", {"scf.while"}},
    {"AConditionThatReadsIsGuarded",
     "while tl.load(p + n) > 0:\n    n -= 1\n    if n < 0:\n        break",
     {"scf.while", "scf.if", "tile.load", "scf.condition"}},
    {"AVariableAfterItsLoop",
     "for i in range(0, n, 3):\n    pass\ntl.store(p, i)",
     {"scf.for", "arith.divui", "arith.select"}},
    {"AVariableThatNobodyReads", "for i in range(n):\n    pass", {"scf.for", "~arith.divui"}},
    {"ElementsAreReductions",
     "tl.store(p, x[n])",
     {"tile.assert", "arith.select", "tile.reduce", "arith.ori"}},
    {"AConstantIndexIsNotWatched",
     "tl.store(p, x[-1])",
     {"dense<15>", "tile.reduce", "~tile.assert"}},
    {"AnElementIsSelected",
     "x[n] = f\ntl.store(p + tl.arange(0, B), x)",
     {"tile.splat %arg3", "arith.select"}},
    {"ForContinue",
     "a = 0\nfor i in range(n):\n    if i == 3:\n        continue\n    a += i\ntl.store(p, a)",
     {"scf.for", "scf.if", "scf.yield", "else", "arith.addi"}},
    {"ForConstexprContinue",
     "for i in range(n):\n    if B == 16:\n        continue\n    unknown()",
     {"scf.for"}},
    {"WhileLoop",
     "a = n\nwhile a > 0:\n    a = a // 2\ntl.store(p, a)",
     {"scf.while", "cmpi sgt", "scf.condition", "divsi", "scf.yield"}},
    {"WhileNever", "while B == 8:\n    unknown()", {"tile.load", "~scf.while"}},
    {"StaticRange",
     "for i in tl.static_range(3):\n    tl.store(p + i, x.shape[0] + i)",
     {"constant 1.600000e+01", "constant 1.700000e+01", "constant 1.800000e+01", "~scf.for"}},
    {"StaticBreak",
     "for i in tl.static_range(8):\n    if i == 2:\n        break\n    tl.store(p + i, 1.0)",
     {"tile.store", "tile.store", "~tile.store"}},
    {"StaticContinue",
     "for i in tl.static_range(3):\n    if i == 1:\n        continue\n    tl.store(p + i, 1.0)",
     {"tile.store", "tile.store", "~tile.store"}},
    {"StaticConstexpr",
     "for i in tl.static_range(2):\n    m: tl.constexpr = i * 2\n    y = tl.arange(0, m + 1)",
     {"tensor<1xi32>", "tensor<3xi32>"}},
    {"OverATuple", "for a in (1, n):\n    tl.store(p + a, 1.0)", {"tile.store", "tile.store"}},
    {"IfMerges",
     "a = 0\nif n > 0:\n    a = n\ntl.store(p, a)",
     {"scf.if", "-> (i32)", "scf.yield"}},
    {"IfElseDefines",
     "if n > 0:\n    a = x\nelse:\n    a = -x\ntl.store(p + tl.arange(0, B), a)",
     {"scf.if", "tensor<16xf32>", "negf"}},
    {"IfUntouched", "if n > 0:\n    tl.store(p, 1.0)", {"scf.if %", "{"}},
    {"IfConstexpr",
     "if B > 8:\n    a = 1\nelse:\n    a = x\n    unknown()\ntl.store(p, a)",
     {"tile.store", "~scf.if"}},
    {"IfOneElementTile",
     "if tl.zeros((1,), tl.int32) == 0:\n    tl.store(p, 1.0)",
     {"tile.reshape", "scf.if"}},
    {"IfFloat", "if f:\n    tl.store(p, 1.0)", {"cmpf une", "scf.if"}},
    {"EarlyReturn",
     "if n > 3:\n    return\ntl.store(p, 1.0)",
     {"scf.if", "else", "tile.store", "return"}},
    {"EarlyReturnElse",
     "if n > 3:\n    tl.store(p, 1.0)\nelse:\n    return\ntl.store(p, 2.0)",
     {"scf.if", "tile.store", "tile.store", "}"}},
    {"EarlyReturnTwice",
     "if n > 3:\n    return\nif n < 0:\n    return\ntl.store(p, 1.0)",
     {"scf.if", "scf.if", "tile.store"}},
    {"ReturnKnown", "if B == 16:\n    return\nunknown()", {"tile.load"}},
    {"ConditionalValue", "a = n if n > 0 else 1\ntl.store(p, a)", {"scf.if", "-> (i32)"}},
    {"ConditionalKnown", "a = 1 if B > 8 else unknown\ntl.store(p, a)", {"tile.store", "~scf.if"}},
    {"SwapInLoop",
     "a, b = x, -x\nfor i in range(n):\n    a, b = b, a\ntl.store(p + tl.arange(0, B), a)",
     {"scf.for", "iter_args", "scf.yield %arg"}},
    {"TupleCarried",
     "t = (n, f)\nfor i in range(n):\n    t = (t[0] + 1, t[1] * 2)\ntl.store(p, t[1])",
     {"scf.for", "(i32, f32)"}},
    {"Walrus", "if (m := n + 1) > 0:\n    tl.store(p, m)", {"addi", "cmpi", "scf.if"}},
    {"Comprehension",
     "t = [i * 2 for i in (1, 2, 3) if i != 2]\ny = tl.zeros(t, tl.float32) + f",
     {"tensor<2x6xf32>"}},
    {"TupleSlice",
     "t = (1, 2, 3, 4)[1:] + (5,)\ny = tl.zeros(t[::2], tl.float32) + f",
     {"tensor<2x4xf32>"}},
    {"AugmentedPointer",
     "for i in range(n):\n    p += B\ntl.store(p, 1.0)",
     {"scf.for", "!tile.ptr<f32>", "tile.offset"}},
};

const Accepted modules[] = {
    {"VectorAdd",
     "@triton.jit\ndef add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
     "    pid = tl.program_id(axis=0)\n    offsets = pid * BLOCK + tl.arange(0, BLOCK)\n"
     "    mask = offsets < n\n    x = tl.load(x_ptr + offsets, mask=mask)\n"
     "    y = tl.load(y_ptr + offsets, mask=mask)\n    tl.store(out_ptr + offsets, x + y, "
     "mask=mask)\n",
     {"tile.divisibility = 16", "tile.name = \"x_ptr\"", "tile.kernel", "tile.program_id 0",
      "arith.muli", "tile.range 0 to 256 : tensor<256xi32>", "arith.cmpi slt", "tile.load", "mask",
      "arith.addf", "tile.store"},
     {"*f32:16", "*f32", "*f32", "i32:16", "=256"}},
    {"Greyscale",
     "@triton.jit\ndef grey(x_ptr, out_ptr, h, w, b: tl.constexpr):\n    o = tl.arange(0, b)\n"
     "    offs = w * o[:, None] + o[None, :]\n    r = tl.load(x_ptr + 2*h*w+offs)\n"
     "    tl.store(out_ptr + offs, 0.2989*r + 0.5870*r)\n",
     {"arith.uitofp", "arith.mulf", "arith.fptoui", "tile.store"},
     {"*u8", "*u8", "i32", "i32", "=8"}},
    {"ModuleConstants",
     "import triton\nimport triton.language as tl\nfrom triton.language import exp as e\n"
     "import triton.language.math as tm\nN = 4\nM: tl.constexpr = N * 2\nK = tl.constexpr(M + 1)\n"
     "@triton.jit\ndef k(p, n):\n    tl.store(p + tl.arange(0, K), tm.sqrt(e(tl.full((K,), n, "
     "tl.float32))))\n",
     {"tensor<9xf32>", "math.exp", "math.sqrt"},
     {"*f32", "i32"}},
    {"Aliases",
     "import triton.language as tl\nfrom triton.language import *\nexp = tl.exp\n"
     "tl_sqrt = tl.math.sqrt\nMY = tl.int16\n"
     "@triton.jit\ndef f(x):\n    return exp(x)\ng = f\n"
     "@triton.jit\ndef k(p, n):\n    y = g(tl_sqrt(full((8,), n, tl.float32)))\n"
     "    store(p, tl.full((), n, MY))\n",
     {"math.sqrt", "math.exp", "i16"},
     {"*f32", "i32"}},
    {"PythonsMath",
     "import math\nfrom math import log2 as l, pi\nA = tl.constexpr(math.sqrt(16) + l(8) + "
     "math.ceil(0.5))\nB = tl.constexpr(int(A) + int(pi) + math.gcd(12, 18))\n"
     "@triton.jit\ndef k(p):\n    tl.store(p + tl.arange(0, B), math.inf)\n",
     {"tensor<17xi32>", "0x7F800000"},
     {"*f32"}},
    {"ConditionsOutsideFunctions",
     "from typing import TYPE_CHECKING\nN = 4\nif N > 3 and not TYPE_CHECKING:\n    @triton.jit\n"
     "    def f(x):\n        return x + N\n    M = 2\nelif g():\n    M = 3\nelse:\n"
     "    @triton.jit\n    def f(x):\n        return x * N\n"
     "@triton.jit\ndef k(p, n):\n    tl.store(p + f(n) - M, 0.0)\n",
     {"constant 4", "addi", "constant -2", "~muli"},
     {"*f32", "i32"}},
    {"AttemptsOutsideFunctions",
     "try:\n    from triton.language.math import nothing_like_it as e\n    N = 5\n"
     "except ImportError:\n    from triton.language import exp as e\n    N = 6\n"
     "try:\n    import triton.language.math as m\n    M = 7\nexcept ImportError:\n    M = 8\n"
     "finally:\n    O = 9\n"
     "@triton.jit\ndef k(p, n):\n    y = m.sqrt(e(tl.full((N, M, O), n, tl.float32)))\n",
     {"math.exp", "math.sqrt", "6x7x9"},
     {"*f32", "i32"}},
    {"AnOpenConditionThatMakesNoDifference",
     "if g():\n    from triton.language import exp as e\n    N = 4\nelse:\n"
     "    e = tl.math.exp\n    N = 2 + 2\nif h():\n    @triton.jit\n    def f(x):\n"
     "        return x\n"
     "@triton.jit\ndef k(p, n):\n    y = f(e(tl.full((N,), n, tl.float32)))\n",
     {"math.exp", "tensor<4xf32>"},
     {"*f32", "i32"}},
    {"LibdeviceIsImportedFromWhereItEverWas",
     "from triton.language.extra import libdevice\n"
     "from triton.language.extra.cuda import libdevice as cuda\n"
     "from triton.language.extra.cuda.libdevice import rsqrt\n"
     "from triton.language.extra.libdevice import log1p\n"
     "from triton.language.math import tanh\nimport triton.language.extra.libdevice as tld\n"
     "from triton.language.random import randint\n"
     "@triton.jit\ndef k(p, f):\n"
     "    y = libdevice.asin(f) + cuda.acos(f) + rsqrt(f) + log1p(f) + tanh(f) + tld.cosh(f)\n"
     "    z = randint(0, 1)\n",
     {"math.asin", "math.acos", "math.rsqrt", "math.log1p", "math.tanh", "math.cosh"},
     {"*f32", "f32"}},
    {"AnArmThatCouldNotHaveRun",
     "if version() > 3:\n    from triton.language.extra.nowhere import e\n    t = tl.nowhere\n"
     "else:\n    from triton.language import exp as e\n    t = tl.sqrt\n"
     "@triton.jit\ndef k(p, n):\n    y = t(e(tl.full((4,), n, tl.float32)))\n",
     {"math.exp", "math.sqrt"},
     {"*f32", "i32"}},
    {"AFunctionThatCannotBeReadConcernsItsCallersOnly",
     "@triton.jit\ndef f(x):\n    raise E\n@triton.jit\ndef k(p, n):\n    tl.store(p, n)\n",
     {"tile.store"},
     {"*f32", "i32"}},
    {"AnnotationsInQuotes",
     "@triton.jit\ndef f(x, n: 'tl.constexpr' = 2 + 6 if True else 1):\n"
     "    return x + tl.arange(0, n)\n"
     "@triton.jit\ndef k(p, n):\n    m: \"tl.constexpr\" = 8\n    tl.store(p + tl.arange(0, m), "
     "f(n))\n",
     {"tile.range 0 to 8"},
     {"*f32", "i32"}},
    {"CallsAndDefaults",
     "@triton.jit\ndef f(a, b=2, *rest):\n    return a * b + len(rest)\n"
     "@triton.jit\ndef k(p, n):\n    tl.store(p, f(n, b=3))\n    tl.store(p, f(n, 4, 5, 6))\n"
     "    t = (n, 7)\n    tl.store(p, f(*t))\n",
     {"constant 3", "muli", "constant 4", "muli", "constant 2", "constant 7"},
     {"*f32", "i32"}},
    {"RecursionThatEnds",
     "@triton.jit\ndef f(a, d: tl.constexpr):\n    if d == 0:\n        return a\n    return f(a + "
     "a, d - 1)\n"
     "@triton.jit\ndef k(p, n):\n    tl.store(p, f(n, 3))\n",
     {"addi", "addi", "addi", "~addi"},
     {"*f32", "i32"}},
    {"ReturnsMergeInACallee",
     "@triton.jit\ndef f(n):\n    if n > 0:\n        return n, 1.0\n    return -n, 2.0\n"
     "@triton.jit\ndef k(p, n):\n    a, b = f(n)\n    tl.store(p + a, b)\n",
     {"scf.if", "-> (i32, f32)", "tile.store"},
     {"*f32", "i32"}},
    {"FunctionsAsArguments",
     "@triton.jit\ndef twice(fn, x):\n    return fn(fn(x))\n@triton.jit\ndef g(x):\n    return x * "
     "x\n"
     "@triton.jit\ndef k(p, n):\n    tl.store(p, twice(g, n))\n",
     {"muli", "muli"},
     {"*f32", "i32"}},
    {"ConstexprStrings",
     "@triton.jit\ndef k(p, n, act: tl.constexpr, none: tl.constexpr, t: tl.constexpr):\n"
     "    if act == 'relu' and none is None:\n        tl.store(p, tl.full((), n, t))\n",
     {"sitofp", "f16", "tile.store"},
     {"*f32", "i32", "='relu'", "=None", "=f16"}},
    {"ArgumentOneStaysAConstant",
     "@triton.jit\ndef k(p, stride):\n    tl.store(p + tl.arange(0, 4) * stride, 1.0)\n",
     {"tile.range 0 to 4", "tile.offset", "tile.store"},
     {"*f32", "=1"}},
    {"NoAliasAndBool",
     "@triton.jit\ndef k(p, b):\n    x = tl.load(p)\n    tl.store(p, x and b)\n    tl.store(p, "
     "3)\n",
     {"!tile.ptr<i1>", "tile.load", "andi", "constant true", "tile.store"},
     {"*i1", "i1"}},
    {"Empty", "@triton.jit\ndef k():\n    pass\n", {"func.func @k()", "return"}, {}},
    {"Locals",
     "@triton.jit\ndef f(x):\n    y = x + 1\n    return y\n@triton.jit\ndef k(p, y):\n    z = "
     "f(y)\n"
     "    tl.store(p + y, z)\n",
     {"addi", "tile.offset %arg0, %arg1"},
     {"*f32", "i32"}},
    {"ConstexprDecorator", // computes while compiling, by either name
     "@tl.constexpr\ndef wider(t):\n    return tl.int64 if t == tl.int32 else t\n"
     "@triton.constexpr_function\ndef half(n):\n    return n // 2\n"
     "@triton.jit\ndef k(p, n, B: tl.constexpr):\n    x = tl.zeros((half(B),), wider(n.dtype))\n"
     "    tl.store(p, tl.sum(x))\n",
     {"tensor<8xi64>"},
     {"*i64", "i32", "=16"}},
    {"TypeAskedByAConstexprFunction",
     "@triton.constexpr_function\ndef wide(x):\n    return tl.int64 if x.dtype == tl.int32 else "
     "x.dtype\n"
     "@triton.jit\ndef k(p, n):\n    tl.store(p, n.to(wide(n)))\n",
     {"arith.extsi"},
     {"*i64", "i32"}},
    {"QuestionInACombineFunction", // what only a question made is no part of the function
     "@triton.jit\ndef is_float(x):\n    return (x + tl.zeros((1,), tl.int1)).dtype.is_floating()\n"
     "@triton.jit\ndef f(a, b):\n    if is_float(a):\n        return a + b\n    return a\n"
     "@triton.jit\ndef k(p):\n    x = tl.load(p + tl.arange(0, 16))\n"
     "    tl.store(p + tl.arange(0, 16), tl.associative_scan(x, 0, f))\n",
     {"tile.scan", "arith.addf", "tile.yield", "~tile.splat"},
     {"*f32"}},
    {"WaitsOfKernels",
     "from triton.language.extra.cuda import gdc_wait\n@triton.jit\ndef k(p):\n    gdc_wait()\n"
     "    tl.extra.cuda.gdc_wait()\n"
     "    tl.store(p, 1.0)\n    tl.extra.cuda.gdc_launch_dependents()\n",
     {"tile.store"},
     {"*f32"}},
    {"MaskedScalarLoopOverPixels", // continue in nested loops, accumulation in a (1, 1) tile
     "@triton.jit\ndef conv(i_ptr, o_ptr, h, w, B: tl.constexpr):\n    h0 = tl.program_id(0) * B\n"
     "    for y in range(B):\n        for x in range(B):\n            if y + h0 >= h or x >= w:\n"
     "                continue\n            acc = tl.zeros((1, 1), dtype=tl.float32)\n"
     "            for f in range(3):\n                if x + f < w:\n"
     "                    acc += tl.load(i_ptr + x + f)\n            tl.store(o_ptr + y * w + x, "
     "acc)\n",
     {"scf.for", "scf.for", "arith.ori", "scf.if", "else", "scf.for", "scf.if", "tile.store"},
     {"*f32", "*f32", "i32", "i32", "=4"}},
};

INSTANTIATE_TEST_SUITE_P(Operators, AcceptBody, testing::ValuesIn(operators), nameOf);
INSTANTIATE_TEST_SUITE_P(Casts, AcceptBody, testing::ValuesIn(casts), nameOf);
INSTANTIATE_TEST_SUITE_P(Memory, AcceptBody, testing::ValuesIn(memory), nameOf);
INSTANTIATE_TEST_SUITE_P(Shapes, AcceptBody, testing::ValuesIn(shapes), nameOf);
INSTANTIATE_TEST_SUITE_P(Functions, AcceptBody, testing::ValuesIn(functions), nameOf);
INSTANTIATE_TEST_SUITE_P(Debugging, AcceptBody, testing::ValuesIn(debugging), nameOf);
INSTANTIATE_TEST_SUITE_P(Control, AcceptBody, testing::ValuesIn(control), nameOf);
INSTANTIATE_TEST_SUITE_P(Modules, AcceptModule, testing::ValuesIn(modules), nameOf);

TEST(Types, AreListedByAssignment) {
  std::string text = "@triton.jit\ndef k(p, n):\n    x = tl.load(p + tl.arange(0, 8))\n"
                     "    a, b = n / 2, (n, 'x')\n    c: tl.constexpr = 3\n    d = c\n";
  EXPECT_EQ(emitKernel(text, {"*f16", "i32"}).types,
            "3:5 x: float16 tile of shape (8,)\n4:5 a: float32\n4:8 b: a tuple of 2\n5:5 c: int 3\n"
            "6:5 d: int32\n");
}

TEST(Locations, AreTheCallersToo) {
  Outcome outcome = emitKernel("@triton.jit\ndef f(x):\n    return x + 1\n"
                               "@triton.jit\ndef k(p, n):\n    tl.store(p, f(n))\n",
                               {"*f32", "i32"}, /*withLocations=*/true);
  EXPECT_NE(outcome.ir.find("\"k.py\":3:12"), std::string::npos) << outcome.ir;
  EXPECT_NE(outcome.ir.find("\"k.py\":6:17"), std::string::npos) << outcome.ir;
  EXPECT_NE(outcome.ir.find("callsite("), std::string::npos) << outcome.ir;
}

} // namespace
} // namespace nereid::test
