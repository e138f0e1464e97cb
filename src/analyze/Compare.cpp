// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two analyses side by side: what both or one of them has, and where they differ.
#include "analyze/Figures.h"
#include "nereid/analyze.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace nereid {
namespace {

/// One of two that are compared has it, or both.
struct Pair {
  std::string text[2];
  double number[2] = {0, 0};
};

class Comparer {
public:
  explicit Comparer(Comparison &result)
      : result(result), sides{&result.first, &result.second},
        isOneText(result.first.text == result.second.text &&
                  result.first.firstLine == result.second.firstLine &&
                  result.first.kernel == result.second.kernel) {}

  void run() {
    addLaunch();
    addSection("time", [&](unsigned side) {
      for (const Analysis::Bound &bound : sides[side]->bounds)
        if (bound.seconds > sides[side]->seconds / 1000)
          set(side, bound.name, analyzer::timeText(bound.seconds), bound.seconds);
    });
    addSection("arrays", [&](unsigned side) { addArrays(side); });
    addSection("lines", [&](unsigned side) { addLines(side); });
    // Of one source: PTX and machine code have other numbers of the same kernel.
    if (sides[0]->instructionSource == sides[1]->instructionSource)
      addSection("instructions", [&](unsigned side) { addInstructions(side); });
  }

private:
  void set(unsigned side, const std::string &name, std::string text, double number = 0) {
    rows[name].text[side] = std::move(text);
    rows[name].number[side] = number;
  }

  template <typename F> void addSection(const char *section, F fill) {
    for (unsigned side : {0u, 1u})
      fill(side);
    for (auto &[name, pair] : rows) {
      const double ratio =
          pair.number[0] > 0 && !pair.text[1].empty() ? pair.number[1] / pair.number[0] : 0;
      const bool isDifferent = pair.text[0] != pair.text[1];
      result.differences.push_back(
          {section, name, std::move(pair.text[0]), std::move(pair.text[1]), isDifferent, ratio});
    }
    rows.clear();
  }

  void addLaunch() {
    addSection("launch", [&](unsigned side) {
      const Analysis &a = *sides[side];
      auto count = [&](const char *name, double number) {
        set(side, name, llvm::formatv("{0:f0}", number), number);
      };
      auto bytes = [&](const char *name, double number) {
        set(side, name, analyzer::bytesText(number), number);
      };
      set(side, "predicted time", analyzer::timeText(a.seconds), a.seconds);
      set(side, "bound by", a.bound);
      set(side, "card", a.card);
      count("programs", double(a.programs));
      count("blocks", double(a.blocks));
      count("threads of a block", a.threads);
      if (a.isAssembled) {
        count("registers of a thread", a.registers);
        bytes("spilled by a thread", a.spillStoreBytes + a.spillLoadBytes);
      }
      bytes("shared memory of a block", a.sharedBytes);
      count("blocks on an SM", a.residentBlocks);
      set(side, "limited by", a.residenceLimit);
      set(side, "threads of an SM", llvm::formatv("{0:f0} %", 100 * a.occupancy), a.occupancy);
      set(side, "fillings of the card", llvm::formatv("{0:f2}", a.waves), a.waves);
      count("barriers", double(a.barriers));
      set(side, "FLOP", analyzer::flopText(a.flops), a.flops);
      bytes("bytes of L2", double(a.l2Bytes));
      bytes("bytes of memory", double(a.memoryBytes));
    });
  }

  void addArrays(unsigned side) {
    for (const Analysis::ArrayUse &array : sides[side]->arrays) {
      set(side, array.name + ", asked of L2", analyzer::bytesText(double(array.askedBytes)),
          double(array.askedBytes));
      set(side, array.name + ", of memory", analyzer::bytesText(double(array.memoryBytes)),
          double(array.memoryBytes));
    }
  }

  std::string nameOf(const Place &place, const std::string &what) const {
    return isOneText && place.line ? analyzer::placeText(place, sides[0]->file) + ": " + what
                                   : what;
  }

  static std::string ofRequest(double count, double least, double requests) {
    requests = std::max(1.0, requests);
    return llvm::formatv("{0:f1} ({1:f1})", count / requests, least / requests);
  }

  /// Of two texts, all accesses of one kind to one array are one row.
  void addLines(unsigned side) {
    struct Sum {
      double requests = 0, count = 0, least = 0, barriers = 0;
    };
    llvm::MapVector<std::string, Sum, std::map<std::string, unsigned>> accesses, shared;
    for (const Analysis::Access &access : sides[side]->accesses) {
      Sum &sum = accesses[nameOf(access.place, access.kind + " of " + access.array)];
      sum.requests += double(access.requests);
      sum.count += double(access.sectors);
      sum.least += double(access.leastSectors);
    }
    for (const auto &[name, sum] : accesses)
      set(side, name,
          llvm::formatv("{0} sectors for each of {1:f0} requests",
                        ofRequest(sum.count, sum.least, sum.requests), sum.requests),
          sum.count);
    for (const Analysis::Shared &entry : sides[side]->shared) {
      const char *where = entry.requests ? " in shared memory" : "";
      Sum &sum = shared[nameOf(entry.place, entry.kind + where)];
      sum.requests += double(entry.requests);
      sum.count += double(entry.wavefronts);
      sum.least += double(entry.leastWavefronts);
      sum.barriers += double(entry.barriers);
    }
    for (const auto &[name, sum] : shared) {
      std::string text;
      if (sum.requests > 0)
        text = llvm::formatv("{0} wavefronts for each of {1:f0} requests, ",
                             ofRequest(sum.count, sum.least, sum.requests), sum.requests);
      text += llvm::formatv("{0:f0} barriers", sum.barriers);
      set(side, name, std::move(text), sum.requests > 0 ? sum.count : sum.barriers);
    }
    for (const Analysis::Product &product : sides[side]->products) {
      const std::string name = nameOf(product.place, "product");
      std::string text = llvm::formatv("{0} times {1}", product.count, product.instruction);
      double seconds = product.seconds;
      if (auto other = rows.find(name); other != rows.end() && !other->second.text[side].empty()) {
        text = other->second.text[side] + ", " + text;
        seconds += other->second.number[side];
      }
      set(side, name, std::move(text), seconds);
    }
  }

  void addInstructions(unsigned side) {
    auto add = [&](const char *name, uint64_t Analysis::Instructions::*unit) {
      double sum = 0;
      for (const Analysis::Instructions &line : sides[side]->instructions)
        sum += double(line.*unit);
      if (sum > 0)
        set(side, name, llvm::formatv("{0:f0}", sum), sum);
    };
#define UNIT(member, name, meaning) add(name, &Analysis::Instructions::member);
#include "nereid/units.def"
  }

  Comparison &result;
  const Analysis *sides[2];
  /// Lines of both are the same lines of one kernel.
  bool isOneText;
  llvm::MapVector<std::string, Pair, std::map<std::string, unsigned>> rows;
};

} // namespace

Comparison compare(Analysis first, Analysis second) {
  Comparison result{std::move(first), std::move(second), {}};
  Comparer(result).run();
  return result;
}

} // namespace nereid
