// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operation of the dialects that kernels use, on the CPU: each is run on wild values against
// the interpreter, or is listed here as one that the CPU refuses.
#include "support/Diagnostics.h"
#include "support/TileProgram.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <set>

using namespace nereid;
using namespace nereid::test;

namespace {

constexpr int tileLanes = 64, programs = 8; // more tileLanes than any register has

/// One operation: reads %a, %b and %c, tiles of $T, and the truth %m; defines %r, a tile of $R.
struct Case {
  std::string text, operands, result;
};

std::string replaced(std::string text, const std::string &key, const std::string &value) {
  for (size_t at; (at = text.find(key)) != std::string::npos;)
    text.replace(at, key.size(), value);
  return text;
}

std::string tileOf(const std::string &element) {
  return "tensor<" + std::to_string(tileLanes) + "x" + element + ">";
}

size_t bytesOf(const std::string &element) {
  size_t bits = std::stoul(element.substr(element.find_first_of("0123456789")));
  return bits == 1 ? 1 : bits / 8;
}

/// Loads the operands of a program's own part of three arrays, and stores the result there.
std::string kernelOf(const Case &given) {
  auto pointer = [](const std::string &element) { return "!tile.ptr<" + element + ">"; };
  std::string text, moves = tileOf("i32");
  auto place = [&](const std::string &name, const std::string &element) {
    text += "%" + name + "0 = tile.offset %" + name + ", %start : " + pointer(element) +
            ", i32\n%" + name + "1 = tile.splat %" + name + "0 : " + pointer(element) + " -> " +
            tileOf(pointer(element)) + "\n%" + name + "2 = tile.offset %" + name +
            "1, %i : " + tileOf(pointer(element)) + ", " + moves + "\n";
  };
  text = "func.func @k(%pa: $P, %pb: $P, %pc: $P, %pr: " + pointer(given.result) +
         ") attributes {tile.kernel, tile.noalias} {\n%pid = tile.program_id 0\n"
         "%n = arith.constant $N : i32\n%start = arith.muli %pid, %n : i32\n"
         "%i = tile.range 0 to $N : tensor<$Nxi32>\n";
  for (const char *name : {"a", "b", "c"}) {
    std::string from = std::string("p") + name;
    place(from, given.operands);
    text += std::string("%") + name + " = tile.load %" + from +
            "2 : " + tileOf(pointer(given.operands)) + "\n";
  }
  text += "%three = arith.constant dense<3> : tensor<$Nxi32>\n"
          "%masked = arith.andi %i, %three : tensor<$Nxi32>\n"
          "%m = arith.cmpi eq, %masked, %three : tensor<$Nxi32>\n" +
          given.text + "\n";
  place("pr", given.result);
  text += "tile.store %pr2, %r : " + tileOf(pointer(given.result)) + "\nreturn\n}\n";
  text = replaced(text, "$T", tileOf(given.operands));
  text = replaced(replaced(text, "$R", tileOf(given.result)), "$P", pointer(given.operands));
  return replaced(text, "$N", std::to_string(tileLanes));
}

// What there is to be run

const std::vector<std::string> integers = {"i8", "i16", "i32", "i64"},
                               floats = {"f16", "bf16", "f32", "f64"};

using Cases = std::vector<Case>;

void addEach(Cases &cases, const std::vector<std::string> &operations, const std::string &form,
             const std::vector<std::string> &elements, const std::string &result = {}) {
  for (const std::string &operation : operations)
    for (const std::string &element : elements)
      cases.push_back(
          {replaced(form, "$O", operation), element, result.empty() ? element : result});
}

void addIntegers(Cases &cases) {
  addEach(cases, {"addi",      "subi",      "muli",       "divsi", "divui", "remsi", "remui",
                  "ceildivsi", "ceildivui", "floordivsi", "andi",  "ori",   "xori",  "shli",
                  "shrsi",     "shrui",     "maxsi",      "maxui", "minsi", "minui"},
          "%r = arith.$O %a, %b : $T", integers);
  addEach(cases, {"andi", "ori", "xori"}, "%r = arith.$O %a, %b : $T", {"i1"});
  addEach(cases, {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"},
          "%r = arith.cmpi $O, %a, %b : $T", integers, "i1");
  addEach(cases, {"mulsi", "mului"}, "%low, %r = arith.$O_extended %a, %b : $T", integers);
  addEach(cases, {"addui"}, "%low, %r = arith.$O_extended %a, %b : $T, $R", integers, "i1");
  addEach(cases, {"absi", "ctlz", "cttz", "ctpop"}, "%r = math.$O %a : $T", integers);
  addEach(cases, {"ipowi"}, "%r = math.$O %a, %b : $T", integers);
  addEach(cases, {"select"}, "%r = arith.$O %m, %a, %b : tensor<$Nxi1>, $T", integers);
}

void addFloats(Cases &cases) {
  addEach(cases,
          {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.remf", "arith.maximumf",
           "arith.maxnumf", "arith.minimumf", "arith.minnumf", "math.copysign"},
          "%r = $O %a, %b : $T", floats);
  addEach(cases,
          {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
           "ule", "une", "uno", "true"},
          "%r = arith.cmpf $O, %a, %b : $T", floats, "i1");
  addEach(cases,
          {"arith.negf", "math.absf", "math.ceil", "math.floor", "math.round", "math.roundeven",
           "math.trunc", "math.sqrt"},
          "%r = $O %a : $T", floats);
  addEach(cases, {"fma"}, "%r = math.$O %a, %b, %c : $T", floats);
  addEach(cases, {"clampf"}, "%r = math.$O %a to [%b, %c] : $T", floats);
  cases.push_back({"%r, %cosine = math.sincos %a : $T", "f32", "f32"});
  cases.push_back({"%r = math.fpowi %a, %i : $T, tensor<$Nxi32>", "f32", "f32"});
  addEach(cases, {"isnan", "isinf", "isfinite", "isnormal"}, "%r = math.$O %a : $T", floats, "i1");
  addEach(cases, {"select"}, "%r = arith.$O %m, %a, %b : tensor<$Nxi1>, $T", floats);
}

void addCasts(Cases &cases) {
  auto addPairs = [&](const std::string &operation, const std::vector<std::string> &from,
                      const std::vector<std::string> &to, int direction) {
    for (const std::string &source : from)
      for (const std::string &target : to) {
        auto difference = static_cast<int>(bytesOf(target)) - static_cast<int>(bytesOf(source));
        bool isWanted = direction == 0   ? difference == 0 && source != target
                        : direction == 2 ? true
                                         : difference * direction > 0;
        if (isWanted)
          cases.push_back({"%r = arith." + operation + " %a : $T to $R", source, target});
      }
  };
  constexpr int wider = 1, narrower = -1, equal = 0, any = 2;
  addPairs("extsi", integers, integers, wider);
  addPairs("extui", integers, integers, wider);
  addPairs("extui", {"i1"}, integers, any);
  addPairs("trunci", integers, integers, narrower);
  addPairs("extf", floats, floats, wider);
  addPairs("truncf", floats, floats, narrower);
  for (const std::string &source : floats)
    for (const char *target : {"f8E4M3FN", "f8E5M2"})
      cases.push_back({"%small = tile.narrow %a : $T -> tensor<$Nx" + std::string(target) + ">\n" +
                           "%r = arith.bitcast %small : tensor<$Nx" + target + "> to $R",
                       source, "i8"});
  addPairs("sitofp", integers, floats, any);
  addPairs("uitofp", integers, floats, any);
  addPairs("fptosi", floats, integers, any);
  addPairs("fptoui", floats, integers, any);
  addPairs("bitcast", integers, floats, equal);
  addPairs("bitcast", floats, integers, equal);
  for (const char *sign : {"", "ui"})
    cases.push_back({std::string("%w = arith.index_cast") + sign +
                         " %a : $T to tensor<$Nxindex>\n"
                         "%r = arith.index_cast" +
                         sign + " %w : tensor<$Nxindex> to $R",
                     "i32", "i64"});
}

void addTiles(Cases &cases) {
  // The same tileLanes once turned over, once added up, once taken through a product.
  cases.push_back({"%s = tile.reshape %a : $T -> tensor<8x8xf32>\n"
                   "%t = tile.permute %s [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>\n"
                   "%one = arith.constant dense<1.0> : tensor<8x8xf32>\n"
                   "%z = arith.constant dense<0.0> : tensor<8x8xf32>\n"
                   "%o = tile.dot %t, %one, %z precision ieee : tensor<8x8xf32>, "
                   "tensor<8x8xf32> -> tensor<8x8xf32>\n"
                   "%sum = tile.reduce (%s) axis 1 : (tensor<8x8xf32>) -> tensor<8xf32> {\n"
                   "^bb0(%x: f32, %y: f32):\n%q = arith.maxnumf %x, %y : f32\n"
                   "tile.yield %q : f32\n}\n"
                   "%e = tile.expand_dims %sum axis 1 : tensor<8xf32> -> tensor<8x1xf32>\n"
                   "%w = tile.broadcast %e : tensor<8x1xf32> -> tensor<8x8xf32>\n"
                   "%u = arith.addf %w, %t : tensor<8x8xf32>\n"
                   "%isSmall = arith.cmpf olt, %u, %one : tensor<8x8xf32>\n"
                   "%v = arith.select %isSmall, %u, %t : tensor<8x8xi1>, tensor<8x8xf32>\n"
                   "%r = tile.reshape %v : tensor<8x8xf32> -> $T",
                   "f32", "f32"});
  cases.push_back({"%s = tile.reshape %a : $T -> tensor<8x8xi32>\n"
                   "%t = tile.scan (%s) axis 0 reverse : (tensor<8x8xi32>) -> tensor<8x8xi32> {\n"
                   "^bb0(%x: i32, %y: i32):\n%q = arith.addi %x, %y : i32\n"
                   "tile.yield %q : i32\n}\n"
                   "%u = tile.reshape %t : tensor<8x8xi32> -> $T\n"
                   "%n1 = arith.constant dense<31> : $T\n%at = arith.andi %b, %n1 : $T\n"
                   "%wild = arith.select %m, %b, %at : tensor<$Nxi1>, $T\n"
                   "%v = tile.gather %u at %wild axis 0 : $T, $T -> $T\n"
                   "%count = tile.histogram %wild mask %m : $T -> $T\n"
                   "%r = arith.addi %count, %v : $T",
                   "i32", "i32"});
  cases.push_back({"%g = tile.num_programs 0\n%known = tile.hint divisibility %start [64] : i32\n"
                   "%zero = arith.constant 0 : i32\n%ok = arith.cmpi sge, %g, %zero : i32\n"
                   "tile.assume %ok\ntile.assert %ok, \"some\" : i1\n"
                   "tile.variable \"ok\" = %ok : i1\n"
                   "%long = arith.constant 7 : i64\n"
                   "tile.check_index %long of %long dimension 0 leading to %pr : !tile.ptr<i32>\n"
                   "%mine = tile.offset %pr, %start : !tile.ptr<i32>, i32\n"
                   "%old = tile.atomic_rmw add %mine, %g order acq_rel scope gpu : !tile.ptr<i32>\n"
                   "%new = tile.load %mine : !tile.ptr<i32>\n"
                   "tile.barrier\n%f = arith.addi %old, %known : i32\n"
                   "%h = arith.addi %new, %f : i32\n"
                   "%s = tile.splat %h : i32 -> $T\n%r = arith.xori %a, %s : $T",
                   "i32", "i32"});
  cases.push_back({"%j = tile.join %a, %b : $T -> tensor<$Nx2xf32>\n"
                   "%p = tile.permute %j [1, 0] : tensor<$Nx2xf32> -> tensor<2x$Nxf32>\n"
                   "%q = tile.reshape %p : tensor<2x$Nxf32> -> tensor<$Nx2xf32>\n"
                   "%f, %s = tile.split %q : tensor<$Nx2xf32> -> $T\n"
                   "%r = arith.select %m, %f, %s : tensor<$Nxi1>, $T",
                   "f32", "f32"});
  for (const char *element : {"i16", "i32", "i64", "f16", "f32", "f64"})
    cases.push_back({"%old = tile.atomic_cas %pa2, %a, %b order acq_rel scope gpu"
                     " : tensor<$Nx!tile.ptr<" +
                         std::string(element) + ">>\n%r = tile.load %pa2 : tensor<$Nx!tile.ptr<" +
                         element + ">>",
                     element, element});
  for (const char *kind : {"add", "smax", "smin", "umax", "umin", "and", "or", "xor", "xchg"})
    for (const char *element : {"i8", "i16", "i32", "i64"}) {
      std::string pointers = "tensor<$Nx!tile.ptr<" + std::string(element) + ">>";
      cases.push_back({std::string("%old = tile.atomic_rmw ") + kind +
                           " %pa2, %b mask %m order acq_rel scope gpu : " + pointers +
                           "\n%new = tile.load %pa2 : " + pointers +
                           "\n%r = arith.muli %old, %new : $T",
                       element, element});
    }
  cases.push_back({"%w = tile.ptr_to_int %pa2 : tensor<$Nx!tile.ptr<i32>> -> tensor<$Nxi64>\n"
                   "%x = tile.int_to_ptr %w : tensor<$Nxi64> -> tensor<$Nx!tile.ptr<i8>>\n"
                   "%y = tile.ptr_cast %x : tensor<$Nx!tile.ptr<i8>> -> tensor<$Nx!tile.ptr<i32>>\n"
                   "%r = tile.load %y mask %m other %b : tensor<$Nx!tile.ptr<i32>>",
                   "i32", "i32"});
}

Cases allCases() {
  Cases cases;
  addIntegers(cases);
  addFloats(cases);
  addCasts(cases);
  addTiles(cases);
  return cases;
}

// Running them

/// Bits at random, and every other element a small number, of which more is common.
TestArgument operandsOf(const std::string &element, unsigned seed) {
  std::mt19937_64 random(seed);
  size_t bytes = bytesOf(element);
  std::vector<uint8_t> all;
  for (int i = 0; i < tileLanes * programs; ++i) {
    uint64_t bits = element == "i1" ? random() % 2 : random();
    auto small = static_cast<double>(static_cast<int>(random() % 41) - 20) / 4;
    if (i % 2 && element == "f64")
      bits = std::bit_cast<uint64_t>(small);
    else if (i % 2 && element == "f32")
      bits = std::bit_cast<uint32_t>(static_cast<float>(small));
    else if (i % 2 && element == "bf16")
      bits = std::bit_cast<uint32_t>(static_cast<float>(small)) >> 16;
    else if (i % 2 && element == "f16")
      bits = random() % 0x800 + 0x3800 + (random() % 2 << 15);
    else if (i % 2 && element != "i1")
      bits = random() % 17 - 8;
    for (size_t byte = 0; byte < bytes; ++byte)
      all.push_back(static_cast<uint8_t>(bits >> 8 * byte));
  }
  return TestArgument::array(all);
}

bool isNan(const std::string &element, uint64_t bits) {
  if (element == "f32")
    return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (element == "f64")
    return std::isnan(std::bit_cast<double>(bits));
  if (element == "f16" || element == "bf16")
    return (bits & 0x7fff) > (element == "f16" ? 0x7c00u : 0x7f80u);
  return false;
}

std::vector<TestArgument> run(const Case &given, Executor executor) {
  size_t results = tileLanes * programs * bytesOf(given.result);
  std::vector<TestArgument> arguments;
  for (unsigned seed : {1, 2, 3})
    arguments.push_back(operandsOf(given.operands, seed));
  arguments.push_back(TestArgument::array(std::vector<uint8_t>(results)));
  return runTile(kernelOf(given), arguments, {programs, 1, 1}, executor);
}

void expectAgreement(const Case &given) {
  auto actual = run(given, Executor::Cpu)[3].bytes;
  auto expected = run(given, Executor::Interpreter)[3].bytes;
  size_t bytes = bytesOf(given.result);
  for (size_t at = 0; at < expected.size(); at += bytes) {
    uint64_t wanted = 0, got = 0;
    std::memcpy(&wanted, &expected[at], bytes);
    std::memcpy(&got, &actual[at], bytes);
    if (isNan(given.result, wanted) && isNan(given.result, got))
      continue;
    ASSERT_EQ(got, wanted) << given.text << " of " << given.operands << " to " << given.result
                           << ", element " << at / bytes << std::hex << ": " << got << ", not "
                           << wanted;
  }
}

std::set<std::string> operationsOf(const Case &given) {
  std::unique_ptr<mlir::MLIRContext> context = tile::createContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kernelOf(given), context.get());
  std::set<std::string> names;
  if (module)
    module->walk([&](mlir::Operation *op) { names.insert(op->getName().getStringRef().str()); });
  return names;
}

/// What the front end does not make, and tile IR from elsewhere is told.
const std::set<std::string> refusedByTheCpu = {
    "arith.addui_extended", "arith.ceildivsi",  "arith.ceildivui",
    "arith.floordivsi",     "arith.index_cast", "arith.index_castui",
    "arith.mulsi_extended", "math.clampf",      "math.cttz",
    "math.fpowi",           "math.ipowi",       "math.isfinite",
    "math.isinf",           "math.isnan",       "math.isnormal",
    "math.sincos"};

TEST(Operations, AgreeOnWildValues) {
  std::set<std::string> run, refused;
  for (const Case &given : allCases()) {
    std::set<std::string> names = operationsOf(given);
    ASSERT_FALSE(names.empty()) << kernelOf(given);
    try {
      expectAgreement(given);
      run.insert(names.begin(), names.end());
    } catch (const SourceError &error) {
      EXPECT_EQ(error.diagnostic.id, DiagnosticId::unsupported_operation) << given.text;
      refused.insert(error.diagnostic.text.substr(error.diagnostic.text.rfind(' ') + 1));
    }
  }
  EXPECT_EQ(refused, refusedByTheCpu);
  // MathTest.cpp runs the functions, ServerTest.cpp among others prints, and
  // MachineAssemblyTest.cpp runs what no two executors have.
#define MATH_FUNCTION(operation, name, arity, promise32, promise64)                                \
  run.insert(mlir::math::operation::getOperationName().str());
#include "backend/llvm/math_functions.def"
  run.insert({"math.rsqrt", "tile.print", "tile.assembly"});
  // ThreadsTest.cpp, ThreadMemoryTest.cpp and test_numba_warps.py run what threads of a block and
  // of a warp have.
  run.insert({"tile.local", "tile.shared", "tile.sync_threads", "tile.thread_id",
              "tile.sync_threads_count", "tile.sync_warp", "tile.shuffle", "tile.ballot",
              "tile.active_mask", "tile.table"});
  std::set<std::string> missing;
  std::unique_ptr<mlir::MLIRContext> context = tile::createContext();
  for (mlir::RegisteredOperationName name : context->getRegisteredOperations()) {
    llvm::StringRef dialect = name.getDialectNamespace();
    bool isOurs = dialect == "tile" || dialect == "arith" || dialect == "math";
    if (isOurs && !run.contains(name.getStringRef().str()))
      missing.insert(name.getStringRef().str());
  }
  refused.insert({"arith.scaling_extf", "arith.scaling_truncf"}); // of types that no kernel has
  EXPECT_EQ(missing, refused);
}

} // namespace
