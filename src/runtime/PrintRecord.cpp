// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/PrintRecord.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

namespace nereid::runtime {
namespace {

/// The site's number, from 1, and the id along three axes.
struct RecordHead {
  uint32_t site, programId[3];
};

uint64_t elementBytes(const PrintedOperand &operand) {
  return operand.isPointer ? 8 : std::max(1u, bitWidth(operand.dtype) / 8);
}

uint64_t roundedUp(uint64_t bytes, uint64_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

std::string linesOf(const PrintSite &site, const RecordHead &head, const std::byte *record) {
  std::vector<PrintedOperand> operands = site.operands;
  PrintRecord layout = recordOf(site);
  for (size_t i = 0; i < operands.size(); ++i)
    operands[i].elements = record + layout.operands[i];
  std::string lines;
  printLines(site.format, operands, head.programId,
             [&](const std::string &line) { lines += line + '\n'; });
  return lines;
}

} // namespace

PrintRecord recordOf(const PrintSite &site) {
  PrintRecord record{{}, sizeof(RecordHead)};
  for (const PrintedOperand &operand : site.operands) {
    record.bytes = roundedUp(record.bytes, 8);
    record.operands.push_back(record.bytes);
    uint64_t count = 1;
    for (int64_t size : operand.shape)
      count *= static_cast<uint64_t>(size);
    record.bytes += count * elementBytes(operand);
  }
  record.bytes = roundedUp(record.bytes, 16);
  return record;
}

PrintedFailure readPrints(std::span<const PrintSite> sites, std::span<const std::byte> buffer,
                          const std::function<void(const std::string &)> &write) {
  PrintedFailure failure;
  std::set<std::array<uint32_t, 4>> failed; // of a program, several threads may have noticed
  uint64_t asked;
  std::memcpy(&asked, buffer.data(), sizeof(asked));
  std::span<const std::byte> records = buffer.subspan(printHeaderBytes);
  uint64_t at = 0;
  while (at < asked && at + sizeof(RecordHead) <= records.size()) {
    RecordHead head;
    std::memcpy(&head, records.data() + at, sizeof(head));
    // Behind the first record that found no room there is none.
    if (head.site == 0 || head.site > sites.size())
      break;
    const PrintSite &site = sites[head.site - 1];
    if (!site.isFailure)
      write(linesOf(site, head, records.data() + at));
    else if (failed.insert({head.site, head.programId[0], head.programId[1], head.programId[2]})
                 .second &&
             !failure.count++) {
      failure.text = site.format.texts[0];
      std::copy_n(head.programId, 3, failure.programId);
    }
    at += recordOf(site).bytes;
  }
  if (at < asked)
    write("(" + std::to_string(asked - at) +
          " bytes of prints are missing: a launch has room for " + std::to_string(records.size()) +
          ")\n");
  return failure;
}

} // namespace nereid::runtime
