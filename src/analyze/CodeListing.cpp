// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/CodeListing.h"

#include "analyze/WarpClock.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <map>

namespace nereid::analyzer {
namespace {

enum class OperandType { Any, Float, Double, Integer, Mixed };

struct PtxKind {
  OperandType type;
  InstructionUnit unit;
};

template <typename F> void forEachName(llvm::StringRef names, F f) {
  llvm::SmallVector<llvm::StringRef, 32> list;
  names.split(list, ' ');
  for (llvm::StringRef name : list)
    f(name);
}

const llvm::StringMap<InstructionUnit> &machineUnits() {
  static const llvm::StringMap<InstructionUnit> units = [] {
    llvm::StringMap<InstructionUnit> map;
#define MACHINE(unit, names)                                                                       \
  forEachName(names, [&](llvm::StringRef name) { map[name] = InstructionUnit::unit; });
#define PTX(...)
#define TIME(...)
#include "analyze/instructions.def"
    return map;
  }();
  return units;
}

const llvm::StringMap<llvm::SmallVector<PtxKind, 4>> &ptxUnits() {
  static const llvm::StringMap<llvm::SmallVector<PtxKind, 4>> units = [] {
    llvm::StringMap<llvm::SmallVector<PtxKind, 4>> map;
#define MACHINE(...)
#define TIME(...)
#define PTX(type, unit, names)                                                                     \
  forEachName(names, [&](llvm::StringRef name) {                                                   \
    map[name].push_back({OperandType::type, InstructionUnit::unit});                               \
  });
#include "analyze/instructions.def"
    return map;
  }();
  return units;
}

InstructionUnit machineUnit(llvm::StringRef opcode) {
  // The longest beginning that the table has: HFMA2.MMA.BF16_V2 is an HFMA2.MMA, and no HFMA2.
  for (llvm::StringRef name = opcode;; name = name.rsplit('.').first) {
    if (auto found = machineUnits().find(name); found != machineUnits().end())
      return found->second;
    if (!name.contains('.'))
      return name.starts_with("U") ? InstructionUnit::uniform : InstructionUnit::other;
  }
}

OperandType ptxType(llvm::StringRef opcode) {
  bool hasFloat = false, hasInteger = false;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  opcode.split(parts, '.');
  for (llvm::StringRef part : llvm::drop_begin(parts)) {
    if (part == "f64")
      return OperandType::Double;
    const bool isInteger =
        part.size() > 1 && llvm::StringRef("subp").contains(part[0]) && llvm::isDigit(part[1]);
    hasInteger |= isInteger || part == "pred";
    hasFloat |= part.starts_with("f16") || part == "f32" || part.starts_with("bf16") ||
                part == "tf32" || part.starts_with("e4m3") || part.starts_with("e5m2");
  }
  return hasFloat && hasInteger ? OperandType::Mixed
         : hasFloat             ? OperandType::Float
                                : OperandType::Integer;
}

/// Of what accesses memory: by where that is.
InstructionUnit ptxMemoryUnit(llvm::StringRef opcode) {
  const llvm::StringRef root = opcode.split('.').first;
  if (root == "ldmatrix" || root == "stmatrix" || root == "shfl" || root == "redux")
    return InstructionUnit::shared;
  if (root == "mbarrier")
    return InstructionUnit::control;
  if (opcode.contains(".param") || opcode.contains(".tensormap") || root == "ldu")
    return InstructionUnit::other;
  if (root == "cp" && (opcode.contains("commit_group") || opcode.contains("wait_group") ||
                       opcode.contains(".mbarrier.arrive")))
    return InstructionUnit::control;
  if (root == "cp" && opcode.contains(".bulk"))
    return InstructionUnit::engine;
  if (opcode.contains(".local"))
    return InstructionUnit::local;
  if (opcode.contains(".shared") && root != "cp")
    return InstructionUnit::shared;
  for (const char *name :
       {"ld", "st", "atom", "red", "cp", "prefetch", "prefetchu", "applypriority"})
    if (root == name)
      return InstructionUnit::global;
  return InstructionUnit::other;
}

InstructionUnit ptxUnit(llvm::StringRef opcode) {
  const llvm::StringRef root = opcode.split('.').first;
  auto found = ptxUnits().find(root);
  if (found == ptxUnits().end())
    return ptxMemoryUnit(opcode);
  // Fences and waits of products are no products.
  if (root == "wgmma" && !opcode.contains("mma_async"))
    return InstructionUnit::control;
  const OperandType type = ptxType(opcode);
  for (const PtxKind &kind : found->second)
    if (kind.type == OperandType::Any || kind.type == type)
      return kind.unit;
  return InstructionUnit::other;
}

/// Counts how often a block's instructions wait, one after the other, for what its loads bring.
class LoadWaits {
public:
  void add(llvm::StringRef text, llvm::StringRef opcode) {
    Step step;
    const llvm::StringRef operands = text.drop_front(opcode.size());
    step.isLoad = opcode.split('.').first == "LDG";
    step.width = opcode.contains(".128") ? 4 : opcode.contains(".64") ? 2 : 1;
    // R12, and no UR4 nor SR_TID: what stands before is no part of a name.
    for (size_t at = operands.find('R'); at != operands.npos; at = operands.find('R', at + 1)) {
      unsigned number = 0;
      const bool isName = at == 0 || !(llvm::isAlnum(operands[at - 1]) || operands[at - 1] == '_');
      if (isName && !operands.substr(at + 1).take_while(llvm::isDigit).getAsInteger(10, number))
        step.registers.push_back(number);
    }
    steps.push_back(std::move(step));
  }

  /// Twice through: what comes around to the second time waits as the third does.
  unsigned count() const {
    std::map<unsigned, unsigned> arrivals; // by register: after how many waits it is there
    unsigned now = 0, before = 0;
    for (unsigned time = 0; time < 2; ++time) {
      before = now;
      for (const Step &step : steps) {
        for (unsigned number : step.registers)
          if (auto found = arrivals.find(number); found != arrivals.end())
            now = std::max(now, found->second);
        if (!step.isLoad || step.registers.empty())
          continue;
        for (unsigned i = 0; i < step.width; ++i)
          arrivals[step.registers.front() + i] = now + 1;
      }
    }
    return now - before;
  }

private:
  struct Step {
    bool isLoad = false;
    unsigned width = 1;
    llvm::SmallVector<unsigned, 4> registers; // what it writes is the first
  };
  std::vector<Step> steps;
};

/// Takes a text line by line apart.
class Reader {
public:
  void label(llvm::StringRef name) {
    if (!listing.blocks.empty() && current().instructions.empty() && !isOver) {
      labels[name] = unsigned(listing.blocks.size()) - 1;
      return;
    }
    begin();
    labels[name] = unsigned(listing.blocks.size()) - 1;
  }
  void add(InstructionUnit unit, unsigned site) {
    if (listing.blocks.empty() || isOver)
      begin();
    current().instructions.push_back({unit, site});
  }
  /// Of machine code: what stands beside the instruction that was added last.
  void addControl(uint64_t word) {
    if (listing.blocks.empty() || current().instructions.empty())
      return;
    Instruction &last = current().instructions.back();
    if (last.cycles == 0)
      last.cycles = clock.give(last.unit, IssueControl::of(word));
  }
  /// Of machine code: what the instruction that was added last reads and writes.
  void addOperands(llvm::StringRef text, llvm::StringRef opcode) {
    loadWaits.resize(listing.blocks.size());
    loadWaits.back().add(text, opcode);
  }
  /// After the instruction that was added last: it goes to `target`, which may be empty, and on to
  /// the next one only if it `mayGoOn`.
  void branch(llvm::StringRef target, bool mayGoOn) {
    jumps.push_back({unsigned(listing.blocks.size()) - 1, target.str(), mayGoOn});
    isOver = true;
  }

  CodeListing finish() {
    findSuccessors();
    walk();
    findLoops();
    for (auto [block, waits] : llvm::zip(listing.blocks, loadWaits))
      block.waits = waits.count();
    return std::move(listing);
  }

private:
  struct Jump {
    unsigned from;
    std::string target;
    bool mayGoOn;
  };
  CodeBlock &current() { return listing.blocks.back(); }
  void begin() {
    listing.blocks.emplace_back();
    isOver = false;
  }

  void findSuccessors() {
    successors.resize(listing.blocks.size());
    for (unsigned block = 0; block < successors.size(); ++block)
      successors[block] = {block + 1};
    for (const Jump &jump : jumps)
      if (!jump.mayGoOn)
        successors[jump.from].clear();
    for (const Jump &jump : jumps)
      if (auto target = labels.find(jump.target); target != labels.end())
        successors[jump.from].push_back(target->second);
    for (auto &list : successors)
      llvm::erase_if(list, [&](unsigned block) { return block >= successors.size(); });
  }

  /// Walks from the first block on. What goes back to a block that the walk is still behind begins
  /// a loop there: the code's loops have one way in.
  void walk() {
    enum class State { New, Open, Done };
    std::vector<State> states(successors.size(), State::New);
    std::vector<std::pair<unsigned, size_t>> path; // and which of the successors is next
    auto enter = [&](unsigned block) {
      states[block] = State::Open;
      path.emplace_back(block, 0);
    };
    if (!states.empty())
      enter(0);
    while (!path.empty()) {
      auto &[block, next] = path.back();
      if (next == successors[block].size()) {
        states[block] = State::Done;
        path.pop_back();
        continue;
      }
      const unsigned to = successors[block][next++];
      if (states[to] == State::New)
        enter(to);
      else if (states[to] == State::Open)
        backEdges[to].push_back(block);
    }
    for (auto [block, state] : llvm::zip(listing.blocks, states))
      block.isDead = state == State::New;
  }

  /// The blocks from which the loop's beginning is reached again without leaving the loop.
  std::vector<bool> bodyOf(unsigned first, llvm::ArrayRef<unsigned> ends) const {
    std::vector<bool> isInside(successors.size());
    isInside[first] = true;
    std::vector<unsigned> work(ends.begin(), ends.end());
    while (!work.empty()) {
      const unsigned block = work.back();
      work.pop_back();
      if (isInside[block])
        continue;
      isInside[block] = true;
      for (unsigned before = 0; before < successors.size(); ++before)
        if (llvm::is_contained(successors[before], block) && !listing.blocks[before].isDead)
          work.push_back(before);
    }
    return isInside;
  }

  void findLoops() {
    std::vector<std::vector<bool>> bodies;
    for (const auto &[first, ends] : backEdges) {
      // One instruction that goes to itself ends the code.
      if (listing.blocks[first].instructions.size() == 1 && ends.size() == 1 && ends[0] == first)
        continue;
      bodies.push_back(bodyOf(first, ends));
      listing.loops.push_back({first});
    }
    auto sizeOf = [&](size_t loop) { return llvm::count(bodies[loop], true); };
    for (size_t loop = 0; loop < bodies.size(); ++loop)
      for (size_t around = 0; around < bodies.size(); ++around) {
        if (around == loop || !bodies[around][listing.loops[loop].first] ||
            sizeOf(around) <= sizeOf(loop))
          continue;
        ++listing.loops[loop].depth;
        int &outer = listing.loops[loop].outer;
        if (outer < 0 || sizeOf(around) < sizeOf(size_t(outer)))
          outer = int(around);
      }
    for (size_t block = 0; block < listing.blocks.size(); ++block)
      for (size_t loop = 0; loop < bodies.size(); ++loop)
        if (int &inner = listing.blocks[block].loop;
            bodies[loop][block] && listing.depthOf(inner) < listing.loops[loop].depth)
          inner = int(loop);
  }

  CodeListing listing;
  WarpClock clock;
  std::vector<LoadWaits> loadWaits; // by block, as far as there are
  llvm::StringMap<unsigned> labels;
  std::vector<Jump> jumps;
  std::vector<llvm::SmallVector<unsigned, 2>> successors;
  std::map<unsigned, std::vector<unsigned>> backEdges; // by the block that they lead to
  bool isOver = false;                                 // the last block has ended
};

/// "@!P0 FMUL R0, R1" without its predicate, and whether it has one.
std::pair<llvm::StringRef, bool> withoutPredicate(llvm::StringRef text) {
  if (!text.starts_with("@"))
    return {text, false};
  return {text.drop_until([](char c) { return c == ' ' || c == '\t'; }).ltrim(), true};
}

llvm::StringRef opcodeOf(llvm::StringRef text) {
  return text.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '.' || c == '_' || c == ':'; });
}

} // namespace

CodeListing readPtx(llvm::StringRef text) {
  Reader reader;
  unsigned site = 0;
  bool isInside = false; // of the body of the entry
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.split("//").first.trim();
    if (line.starts_with("{") && !line.contains(".reg"))
      isInside = true;
    if (line.starts_with(".loc")) {
      llvm::SmallVector<llvm::StringRef, 6> parts;
      llvm::SplitString(line, parts, " \t");
      if (parts.size() < 3 || parts[2].getAsInteger(10, site))
        site = 0;
      continue;
    }
    if (!isInside)
      continue;
    if (line.starts_with("$") && line.ends_with(":")) {
      reader.label(line.drop_back());
      continue;
    }
    // Inline assembly may stand in one line: { .reg ...; a; b; }
    llvm::SmallVector<llvm::StringRef, 4> parts;
    line.split(parts, ';', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef part : parts) {
      auto [body, isConditional] = withoutPredicate(part.trim(" \t{}"));
      const llvm::StringRef opcode = opcodeOf(body);
      if (opcode.empty() || opcode.starts_with(".") || !llvm::isAlpha(opcode[0]))
        continue;
      reader.add(ptxUnit(opcode), site);
      const llvm::StringRef root = opcode.split('.').first;
      if (root == "bra")
        reader.branch(body.drop_front(opcode.size()).trim(), isConditional);
      else if (root == "ret" || root == "exit" || root == "trap")
        reader.branch({}, isConditional);
    }
  }
  return reader.finish();
}

CodeListing readMachineCode(llvm::StringRef text) {
  Reader reader;
  unsigned site = 0;
  bool isCode = false;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.trim();
    if (line.starts_with(".section\t"))
      isCode = line.contains(".text.kernel_"); // functions that it calls have others
    if (line.starts_with("//## File")) {
      llvm::StringRef number = line.split("line ").second.take_while(llvm::isDigit);
      if (number.getAsInteger(10, site))
        site = 0;
    } else if (isCode && line.starts_with(".L_") && line.ends_with(":")) {
      reader.label(line.drop_back());
    } else if (std::optional<uint64_t> word = upperWordIn(line); isCode && word) {
      reader.addControl(*word);
    } else if (isCode && line.consume_front("/*")) {
      auto [body, isConditional] = withoutPredicate(line.split("*/").second.trim());
      const llvm::StringRef opcode = opcodeOf(body), root = opcode.split('.').first;
      if (opcode.empty() || root == "NOP")
        continue;
      reader.add(machineUnit(opcode), site);
      reader.addOperands(body, opcode);
      llvm::StringRef target = body.split("`(").second.split(')').first;
      if (root == "BRA")
        reader.branch(target, isConditional || body.split('`').first.contains(" P") ||
                                  body.split('`').first.contains("!P") || opcode.contains(".DIV"));
      else if (root == "EXIT" || root == "RET")
        reader.branch({}, isConditional);
    }
  }
  return reader.finish();
}

} // namespace nereid::analyzer
