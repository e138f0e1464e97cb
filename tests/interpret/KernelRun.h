// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a kernel given as text, and keeps what it did.
#pragma once

#include "interpret/Interpreter.h"
#include "support/NarrowFloat.h"

#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace nereid::interpret {

using Half = NarrowFloat<DType::Float16>;
using BFloat = NarrowFloat<DType::BFloat16>;

/// Parses, verifies and interprets a kernel over the arguments added before.
class KernelRun : public Observer {
public:
  template <typename T> KernelRun &array(std::vector<T> &elements) {
    arguments.push_back({reinterpret_cast<uint64_t>(elements.data()), elements.size() * sizeof(T)});
    return *this;
  }
  /// An array that the kernel may touch only in part.
  KernelRun &bytes(const void *start, uint64_t extentBytes) {
    arguments.push_back({reinterpret_cast<uint64_t>(start), extentBytes});
    return *this;
  }
  template <typename T> KernelRun &scalar(T value) {
    ArgumentSlot slot;
    std::memcpy(&slot.bits, &value, sizeof(T));
    arguments.push_back(slot);
    return *this;
  }
  KernelRun &run(const std::string &text, GridExtent grid = {}, const RunSettings &settings = {});

  void outOfBounds(const OutOfBounds &access) override { accesses.push_back(access); }
  void indexBeyond(const IndexBeyond &found) override { indices.push_back(found.index); }
  void assertionFailed(mlir::Location, ProgramId program, llvm::StringRef message,
                       int64_t lane) override {
    assertions.push_back(std::to_string(program.x) + ": " + message.str());
    lanes.push_back(lane);
  }
  void assumptionFailed(mlir::Location, ProgramId program) override {
    assumptions.push_back(program.x);
  }
  void doubtMatters(const DoubtfulLane &lane) override { doubtful.insert(lane.lane); }
  void promiseBroken(mlir::Location, ProgramId program) override { promises.push_back(program.x); }
  void print(llvm::StringRef line) override { lines.push_back(line.str()); }

  std::vector<OutOfBounds> accesses;
  std::vector<std::string> assertions, lines;
  std::vector<unsigned> assumptions, promises;
  std::vector<int64_t> lanes;   // of the assertions
  std::vector<int64_t> indices; // that leave their dimension
  std::set<int64_t> doubtful;   // where a doubt matters

private:
  std::vector<ArgumentSlot> arguments;
};

/// The operations of all kernels that were run.
std::set<std::string> &operationsRun();

/// A context with the dialects that kernels use; one for all tests.
mlir::MLIRContext &testContext();

/// "tensor<7xf32>" for ("7", "f32").
std::string tile(int64_t count, const std::string &element);
/// A line that loads `count` elements into `%name` from the pointer argument `%pointer`.
std::string loadLine(const std::string &name, const std::string &pointer, int64_t count,
                     const std::string &element);
std::string storeLine(const std::string &name, const std::string &pointer, int64_t count,
                      const std::string &element);

/// The elements of an operation's operands, as they lie in memory, and their type.
template <typename T> struct Operand {
  std::string element;
  std::vector<T> values;
};

/// Evaluates one operation, written as text that defines %r from %a and %b ($T is their tile type
/// and $R the result's), on tiles that are loaded from and stored to memory.
template <typename R, typename A, typename B = A>
std::vector<R> evaluate(const std::string &operation, const std::string &resultElement,
                        Operand<A> a, Operand<B> b = {}) {
  int64_t count = a.values.size();
  std::string text = operation;
  auto substitute = [&](const std::string &key, const std::string &value) {
    for (size_t at; (at = text.find(key)) != std::string::npos;)
      text.replace(at, key.size(), value);
  };
  substitute("$T", tile(count, a.element));
  substitute("$R", tile(count, resultElement));
  std::vector<R> result(count);
  KernelRun run;
  run.array(a.values);
  std::string parameters = "%pa: !tile.ptr<" + a.element + ">",
              body = loadLine("a", "pa", count, a.element);
  if (!b.values.empty()) {
    run.array(b.values);
    parameters += ", %pb: !tile.ptr<" + b.element + ">";
    body += loadLine("b", "pb", count, b.element);
  }
  run.array(result);
  parameters += ", %pr: !tile.ptr<" + resultElement + ">";
  run.run("func.func @k(" + parameters + ") attributes {tile.kernel} {\n" + body + text + "\n" +
          storeLine("r", "pr", count, resultElement) + "return\n}");
  return result;
}

} // namespace nereid::interpret
