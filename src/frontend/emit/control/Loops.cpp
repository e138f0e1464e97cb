// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// for over what is known while tracing, which is written out; the rest is ForLoops.cpp's.
#include "frontend/emit/Advice.h"
#include "frontend/emit/threads/WholeArrays.h"

namespace nereid::emit {

using sema::ConstantValue;

constexpr sema::Integer longestUnroll = 16384;

std::vector<Value> Emitter::staticElements(const RangeValue &range, SourceRange where) {
  auto bound = [&](const Value &value) {
    auto constant = asConstant(value);
    auto integer = constant ? sema::asInteger(*constant) : std::nullopt;
    if (!integer)
      failNotConstexpr(*this, value,
                       diagnose(where, DiagnosticId::not_constexpr, "a bound of static_range"));
    return *integer;
  };
  sema::Integer lower = bound(*range.lower), upper = bound(*range.upper), step = bound(*range.step);
  if (step == 0)
    fail(where, DiagnosticId::argument_value, "step", "static_range", "a number other than 0", "0");
  sema::Integer span = step > 0 ? upper - lower : lower - upper, stride = step > 0 ? step : -step;
  sema::Integer count = span <= 0 ? 0 : (span + stride - 1) / stride;
  if (count > longestUnroll)
    fail(where, DiagnosticId::unroll_too_long, sema::toString(ConstantValue(count)),
         sema::toString(ConstantValue(longestUnroll)));
  countStep(where, static_cast<uint64_t>(count));
  std::vector<Value> elements;
  for (sema::Integer i = 0; i < count; ++i)
    elements.push_back(integerValue(lower + i * step));
  return elements;
}

static Flow runOver(Emitter &emitter, const ast::For &stmt, const threads::Sequence &sequence) {
  RangeValue positions{share(integerValue(0)), share(sequence.count), share(integerValue(1)),
                       /*isStatic=*/false,
                       /*options=*/{}};
  return emitter.runDynamicFor(stmt, positions, sequence.element);
}

Flow Emitter::runFor(const ast::For &stmt) {
  if (auto sequence = isOfThreads() ? threads::sequenceOf(*this, *stmt.iterable) : std::nullopt)
    return runOver(*this, stmt, *sequence);
  Value iterable = evaluate(*stmt.iterable);
  if (auto sequence =
          isOfThreads() ? threads::sequenceOf(*this, iterable, stmt.iterable->range) : std::nullopt)
    return runOver(*this, stmt, *sequence);
  if (const auto *tuple = iterable.as<Tuple>())
    return runStaticFor(stmt, tuple->elements);
  const auto *range = iterable.as<RangeValue>();
  if (!range)
    failWithNote(stmt.iterable->range,
                 {{},
                  iterable.is<Tensor>()
                      ? "operations take whole tiles; its lanes are x[i] for i in range(size)"
                      : "range, tl.range, tl.static_range and tuples can be"},
                 DiagnosticId::cannot_iterate, describe(iterable));
  if (range->isStatic || frame->isHost)
    return runStaticFor(stmt, staticElements(*range, stmt.iterable->range));
  return runDynamicFor(stmt, *range);
}

Flow Emitter::runStaticFor(const ast::For &stmt, const std::vector<Value> &elements) {
  std::set<std::string> names;
  const std::set<std::string> *outer = std::exchange(frame->handedOn, &names);
  auto definedNames = [&] {
    std::set<std::string> defined;
    for (const auto &[name, value] : frame->scope.values)
      defined.insert(name);
    return defined;
  };
  Flow flow = Flow::Next;
  for (const Value &element : elements) {
    countStep(stmt.range);
    names = definedNames();
    auto turn = [&] {
      if (const auto *name = llvm::dyn_cast<ast::Name>(stmt.target.get())) {
        frame->scope.define(name->name, element); // stays a constexpr
        keepVariable(name->name, element, name->range);
      } else
        assign(*stmt.target, element);
      names = definedNames(); // with the target, which every path has
      return endTurn(run(stmt.body), stmt.range);
    };
    flow = flow == Flow::Open ? runOnOpenPaths(stmt.range, turn) : turn();
    if (!goesOn(flow))
      break;
  }
  frame->handedOn = outer;
  if (!frame->scope.exits.erase(Flow::Break))
    return flow;
  return frame->scope.exits.empty() ? Flow::Next : Flow::Open;
}

} // namespace nereid::emit
