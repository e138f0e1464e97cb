// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// inline_asm_elementwise of instructions of PTX: the constraints say which registers the tiles
// fill, and `pack` how many neighbours one run of the text computes at once.
#include "frontend/emit/assembly/InlineAssembly.h"
#include "frontend/emit/assembly/PtxMachine.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid::emit {

namespace {

/// What one constraint says of its register.
struct Constraint {
  unsigned width = 32;
  bool isOutput = false;
  bool isEarly = false;         // written before the last operand is read
  bool isImmediate = false;     // a constant that is written into the text
  std::optional<unsigned> tied; // to an output, whose register it shares
};

std::vector<Constraint> constraintsOf(const Arguments &arguments) {
  std::vector<Constraint> constraints;
  std::string text = arguments.text("constraints");
  for (llvm::StringRef part : llvm::split(llvm::StringRef(text), ',')) {
    part = part.trim();
    if (part.empty() || part.starts_with("~")) // what it spoils is no concern of anybody's here
      continue;
    Constraint constraint;
    constraint.isOutput = part.consume_front("=");
    constraint.isEarly = part.consume_front("&");
    unsigned tied = 0;
    if (!part.getAsInteger(10, tied))
      constraint.tied = tied;
    else if (part == "l" || part == "d")
      constraint.width = 64;
    else if (part == "h")
      constraint.width = 16;
    else if (part == "n")
      constraint.isImmediate = true;
    else if (part != "r" && part != "f")
      failWithNote(arguments.range("constraints"), {{}, "PTX has h, r, l, f, d and n"},
                   DiagnosticId::not_supported_yet, "the constraint '" + part.str() + "'");
    constraints.push_back(constraint);
  }
  return constraints;
}

/// One call of the built-in.
class Assembly {
public:
  Assembly(Emitter &emitter, const Arguments &arguments)
      : emitter(emitter), arguments(arguments), range(arguments.callRange()),
        constraints(constraintsOf(arguments)), types(assemblyResults(arguments)) {}

  std::vector<Tensor> run();

private:
  using Lanes = std::vector<Tensor>;
  void readOperands();
  Lanes split(const Tensor &tile);
  Tensor unite(Lanes lanes);
  void fill(ptx::Machine &machine);
  void fillImmediates(std::vector<ptx::Instruction> &instructions);
  std::vector<std::optional<Tensor>> understand(ptx::Machine &machine);
  std::vector<std::optional<Tensor>> passOn(const SourceError &why);
  std::string textForAssembler();
  Tensor registerOf(const Lanes &lanes, size_t first, size_t count, unsigned width);
  Lanes lanesOf(const std::vector<Tensor> &registers, sema::ScalarType type, unsigned width);
  size_t lanesIn(unsigned registerWidth, DType type) const {
    return std::max(1u, registerWidth / static_cast<unsigned>(bitWidth(type)));
  }
  DType bitsOf(unsigned width) const {
    return width == 64   ? DType::UInt64
           : width == 32 ? DType::UInt32
           : width == 16 ? DType::UInt16
                         : DType::UInt8;
  }
  [[noreturn]] void failCount(size_t needed) {
    arguments.failValue("constraints",
                        std::to_string(needed) + " registers for these types and pack");
  }

  Emitter &emitter;
  const Arguments &arguments;
  SourceRange range;
  std::vector<Constraint> constraints;
  std::vector<sema::ScalarType> types;
  std::vector<Tensor> operands;
  std::vector<Tensor> inputs;              // of the registers, in the order of the constraints
  std::map<unsigned, uint64_t> immediates; // by their number in the text
  sema::Shape shape, lanes;                // of the arguments, and of a register
  size_t pack = 1, outputs = 0;
};

void Assembly::readOperands() {
  for (const Value &value : arguments.elements("args"))
    operands.push_back(emitter.toTensor(value, arguments.range("args")));
  for (const Tensor &operand : operands)
    shape = emitter.commonShape(shape, operand.shape(), range);
  for (Tensor &operand : operands) {
    if (operand.isPointer())
      operand = emitter.cast(operand, {DType::Int64}, range);
    operand = emitter.broadcastTo(operand, shape, range);
    if (isBool(operand.dtype()))
      operand = emitter.cast(operand, {DType::UInt8}, range);
    operand =
        emitter.bitcast(operand, {bitsOf(static_cast<unsigned>(bitWidth(operand.dtype())))}, range);
  }
  pack = assemblyPack(arguments, sema::ValueType{{}, shape}.elements());
}

/// `pack` tiles of rank 1, of which each holds one element of every group.
Assembly::Lanes Assembly::split(const Tensor &tile) {
  if (pack == 1)
    return {tile};
  Lanes lanes{tile};
  for (size_t count = 1; count < pack; count *= 2) {
    Lanes halves;
    for (const Tensor &lane : lanes) {
      int64_t half = lane.type.elements() / 2;
      Tensor pairs = emitter.reshape(lane, {half, 2}, range);
      sema::ValueType type{lane.type.scalar, {half}};
      mlir::Type irType = emitter.irType(type);
      auto op = tile::SplitOp::create(emitter.builder, emitter.locate(range), irType, irType,
                                      pairs.value);
      halves.push_back({op.getFirst(), type});
      halves.push_back({op.getSecond(), type});
    }
    lanes = std::move(halves);
  }
  return lanes;
}

/// The reverse.
Tensor Assembly::unite(Lanes lanes) {
  while (lanes.size() > 1) {
    Lanes joined;
    for (size_t i = 0; i < lanes.size(); i += 2) {
      sema::ValueType type = lanes[i].type;
      type.shape.push_back(2);
      Tensor pairs{emitter.make<tile::JoinOp>(range, emitter.irType(type), lanes[i].value,
                                              lanes[i + 1].value),
                   type};
      joined.push_back(emitter.reshape(pairs, {pairs.type.elements()}, range));
    }
    lanes = std::move(joined);
  }
  return pack == 1 ? lanes.front() : emitter.reshape(lanes.front(), shape, range);
}

/// Elements side by side in one register, the first lowest.
Tensor Assembly::registerOf(const Lanes &lanes, size_t first, size_t count, unsigned width) {
  sema::ScalarType type{bitsOf(width)};
  Tensor all = emitter.cast(lanes[first], type, range);
  for (size_t i = 1; i < count; ++i) {
    Tensor next = emitter.cast(lanes[first + i], type, range);
    auto distance = static_cast<int64_t>(i) * bitWidth(lanes[first].dtype());
    Tensor amount = emitter.splat(emitter.integer(distance, type.dtype, range), all.shape(), range);
    all = emitter.like<mlir::arith::OrIOp>(range, all,
                                           emitter.like<mlir::arith::ShLIOp>(range, next, amount));
  }
  return all;
}

void Assembly::fill(ptx::Machine &machine) {
  auto index = static_cast<unsigned>(outputs);
  std::vector<Value> values = arguments.elements("args");
  for (auto [operand, value] : llvm::zip_equal(operands, values)) {
    if (index < constraints.size() && constraints[index].isImmediate) {
      auto constant = asConstant(value);
      auto number = constant ? sema::asInteger(*constant) : std::nullopt;
      if (!number)
        arguments.failType("args", "constexpr integers where the constraint is n");
      immediates[index++] = static_cast<uint64_t>(*number);
      continue;
    }
    Lanes lanes = split(operand);
    for (size_t next = 0; next < lanes.size(); ++index) {
      if (index >= constraints.size() || constraints[index].isOutput)
        failCount(index + 1);
      const Constraint &constraint = constraints[index];
      unsigned width = constraint.tied ? 32 : constraint.width;
      size_t count = std::min(lanesIn(width, operand.dtype()), lanes.size() - next);
      Tensor bits = registerOf(lanes, next, count, width);
      inputs.push_back(bits);
      machine.set(constraint.tied.value_or(index), bits);
      if (constraint.tied)
        machine.set(index, bits);
      next += count;
    }
  }
  if (index != constraints.size())
    failCount(index);
}

static void writeNumbers(ptx::Operand &operand, const std::map<unsigned, uint64_t> &numbers) {
  auto number =
      operand.kind == ptx::Operand::Kind::Placeholder ? numbers.find(operand.index) : numbers.end();
  if (number != numbers.end())
    operand = {.kind = ptx::Operand::Kind::Number, .bits = number->second};
  for (ptx::Operand &part : operand.parts)
    writeNumbers(part, numbers);
}

void Assembly::fillImmediates(std::vector<ptx::Instruction> &instructions) {
  for (ptx::Instruction &instruction : instructions)
    for (ptx::Operand &operand : instruction.operands)
      writeNumbers(operand, immediates);
}

/// The elements that the registers of one result hold.
Assembly::Lanes Assembly::lanesOf(const std::vector<Tensor> &registers, sema::ScalarType type,
                                  unsigned width) {
  auto elementWidth = static_cast<unsigned>(bitWidth(type.dtype));
  Lanes each;
  for (const Tensor &bits : registers)
    for (size_t i = 0; i < lanesIn(width, type.dtype) && each.size() < pack; ++i) {
      Tensor amount = emitter.integer(static_cast<int64_t>(i * elementWidth), bits.dtype(), range);
      Tensor lane = emitter.like<mlir::arith::ShRUIOp>(range, bits,
                                                       emitter.splat(amount, bits.shape(), range));
      lane = emitter.cast(lane, {bitsOf(elementWidth)}, range);
      each.push_back(emitter.bitcast(lane, type, range));
    }
  return each;
}

/// The results' registers, as far as the text writes them.
std::vector<std::optional<Tensor>> Assembly::understand(ptx::Machine &machine) {
  std::string mistake;
  auto instructions = ptx::parse(arguments.text("asm"), mistake);
  if (!instructions)
    failWithNote(arguments.range("asm"), {{}, "'" + mistake + "' is not understood"},
                 DiagnosticId::not_supported_yet, "assembly other than instructions of PTX");
  fillImmediates(*instructions);
  for (const ptx::Instruction &instruction : *instructions)
    machine.run(instruction);
  bool onlyWaits = llvm::all_of(*instructions, ptx::isWait);
  std::vector<std::optional<Tensor>> results;
  for (unsigned index = 0; index < outputs; ++index) // a wait has one because there must be one
    results.push_back(onlyWaits ? machine.zero(constraints[index].width) : machine.get(index));
  return results;
}

/// The text with its constants written out, so that the registers that remain are numbered anew.
/// Every `$` is looked at: one that means nothing ends LLVM's process.
std::string Assembly::textForAssembler() {
  std::string text = arguments.text("asm"), written;
  llvm::StringRef rest = text;
  while (!rest.empty()) {
    size_t length = std::min(rest.find('$'), rest.size());
    written += rest.take_front(length).str();
    rest = rest.drop_front(length);
    if (rest.empty())
      break;
    if (rest.consume_front("$$")) {
      written += "$$";
      continue;
    }
    rest = rest.drop_front();
    unsigned index = 0;
    if (rest.consumeInteger(10, index) || index >= constraints.size())
      arguments.failValue("asm", "$0 to $" + std::to_string(constraints.size() - 1) +
                                     " for registers, and $$ for a '$'");
    auto number = immediates.find(index);
    auto before = std::distance(immediates.begin(), immediates.lower_bound(index));
    written += number == immediates.end()
                   ? "$" + std::to_string(static_cast<int64_t>(index) - before)
                   : std::to_string(static_cast<int64_t>(number->second));
  }
  return written;
}

/// Whether the text asks who runs it, and when.
static bool asksTheGpu(llvm::StringRef text) {
  static constexpr llvm::StringRef registers[] = {"%tid",     "%ntid",       "%laneid", "%warpid",
                                                  "%nwarpid", "%lanemask_",  "%smid",   "%nsmid",
                                                  "%clock",   "%globaltimer"};
  return llvm::any_of(registers, [&](llvm::StringRef name) { return text.contains(name); });
}

/// What is not understood is for a GPU's own assembler, and the author's word for its purity.
std::vector<std::optional<Tensor>> Assembly::passOn(const SourceError &why) {
  bool isRefused = why.diagnostic.id == DiagnosticId::not_supported_yet;
  if (!isRefused || outputs == 0)
    throw why;
  if (emitter.target.empty()) {
    std::string text = arguments.text("asm");
    if (!asksTheGpu(text))
      throw why;
    SourceError told = why;
    told.diagnostic.notes.push_back(
        {{}, "threads with numbers, multiprocessors and clocks are there on a GPU alone"});
    throw told;
  }
  emitter.countedWarps();
  std::string text = textForAssembler();
  std::string codes;
  llvm::SmallVector<mlir::Type> types;
  for (const Constraint &constraint : constraints) {
    if (constraint.isImmediate)
      continue;
    std::string_view code = constraint.width == 64 ? "l" : constraint.width == 16 ? "h" : "r";
    codes += (codes.empty() ? "" : ",") + std::string(constraint.isOutput ? "=" : "") +
             (constraint.isEarly ? "&" : "") +
             (constraint.tied ? std::to_string(*constraint.tied) : std::string(code));
    if (constraint.isOutput)
      types.push_back(emitter.irType(sema::ValueType{{bitsOf(constraint.width)}, lanes}));
  }
  if (inputs.empty()) { // the operation's shape is that of an operand, which no text asks for
    inputs.push_back(emitter.splat(emitter.integer(0, DType::UInt32, range), lanes, range));
    codes += ",r";
  }
  llvm::SmallVector<mlir::Value> values;
  for (const Tensor &input : inputs)
    values.push_back(input.value);
  auto assembly =
      tile::AssemblyOp::create(emitter.builder, emitter.locate(range), types, text, codes,
                               /*pack=*/1, /*effects=*/!arguments.flag("is_pure"), values);
  std::vector<std::optional<Tensor>> results;
  for (unsigned index = 0; index < outputs; ++index)
    results.push_back(Tensor{assembly.getOutputs()[index],
                             sema::ValueType{{bitsOf(constraints[index].width)}, lanes}});
  return results;
}

std::vector<Tensor> Assembly::run() {
  readOperands();
  outputs = static_cast<size_t>(
      llvm::count_if(constraints, [](const Constraint &one) { return one.isOutput; }));
  lanes = shape;
  if (pack > 1)
    lanes = {sema::ValueType{{}, shape}.elements() / static_cast<int64_t>(pack)};
  ptx::Machine machine(emitter, range, lanes);
  fill(machine);
  std::vector<std::optional<Tensor>> given;
  std::optional<SourceError> refused;
  try {
    given = understand(machine);
  } catch (const SourceError &error) {
    refused = error;
  }
  if (refused)
    given = passOn(*refused);
  std::vector<Tensor> results;
  unsigned index = 0;
  for (sema::ScalarType wanted : types) {
    // An address is a number until it is whole. In half a register's width it is one that nobody
    // follows: text that has an effect must have some result.
    sema::ScalarType type = wanted.isPointer ? sema::ScalarType{DType::Int64} : wanted;
    std::vector<Tensor> registers;
    unsigned width = index < outputs ? constraints[index].width : 32;
    if (!wanted.isPointer && static_cast<unsigned>(bitWidth(type.dtype)) > width)
      arguments.failType("dtype", "of types that fit their registers");
    size_t each = lanesIn(width, type.dtype), count = (pack + each - 1) / each;
    for (size_t i = 0; i < count; ++i, ++index) {
      const std::optional<Tensor> bits = index < outputs ? given[index] : std::nullopt;
      if (!bits || constraints[index].width != width)
        failCount(index + 1);
      registers.push_back(emitter.cast(*bits, {bitsOf(width)}, range));
    }
    Tensor result = unite(lanesOf(registers, type, width));
    results.push_back(wanted.isPointer ? emitter.cast(result, wanted, range) : result);
  }
  return results;
}

} // namespace

std::vector<sema::ScalarType> assemblyResults(const Arguments &arguments) {
  std::vector<sema::ScalarType> types;
  for (const Value &value : arguments.elements("dtype")) {
    const auto *constant = value.as<sema::ConstantValue>();
    const auto *type = constant ? std::get_if<sema::ScalarType>(constant) : nullptr;
    bool mayBePointer = !isMachineText(arguments.text("asm"));
    if (!type || (type->isPointer ? !mayBePointer : isBool(type->dtype)))
      arguments.failType("dtype", "a type of numbers, or a tuple of them");
    types.push_back(*type);
  }
  return types;
}

size_t assemblyPack(const Arguments &arguments, int64_t elements) {
  sema::Integer given = arguments.integer("pack");
  bool isPower = given > 0 && (given & (given - 1)) == 0;
  if (!isPower || given > elements || elements % static_cast<int64_t>(given) != 0)
    arguments.failValue("pack", "a power of two that divides the " + std::to_string(elements) +
                                    " elements");
  return static_cast<size_t>(given);
}

/// Before anything is understood, so that all devices refuse the same.
static void checkForm(const Arguments &arguments) {
  std::string text = arguments.text("asm");
  std::optional<ptx::FormMistake> mistake;
  if (text.find('\0') != std::string::npos) // where C's texts end, and with them the whole module
    mistake = {"it has a character '\\0'", "text without one is accepted"};
  else if (!isMachineText(text)) // the CPU's has a grammar of its own
    mistake = ptx::mistakeInForm(text);
  if (mistake)
    failWithNote(arguments.range("asm"), {{}, mistake->accepted}, DiagnosticId::assembly_mistake,
                 mistake->reason);
}

Value inline_asm_elementwiseBuiltin(Emitter &emitter, const Arguments &arguments) {
  checkForm(arguments);
  arguments.flag("is_pure"); // what PTX does is known here
  std::vector<Tensor> results = isMachineText(arguments.text("asm"))
                                    ? machineAssembly(emitter, arguments)
                                    : Assembly(emitter, arguments).run();
  if (!arguments["dtype"].is<Tuple>())
    return results.front();
  return Tuple{std::vector<Value>(results.begin(), results.end())};
}

} // namespace nereid::emit
