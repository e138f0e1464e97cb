// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Mutations.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>

namespace nereid::fuzz {
namespace {

/// A word or one other character, from `position` on.
size_t wordEnd(const std::string &text, size_t position) {
  auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  size_t end = position + 1;
  while (isWord(text[position]) && end < text.size() && isWord(text[end]))
    ++end;
  return end;
}

void damageWord(Random &random, std::string &text, Words words) {
  size_t position = random.below(text.size()), end = wordEnd(text, position);
  switch (random.below(6)) {
  case 0:
  case 1:
    text.replace(position, end - position, random.pick(words));
    break;
  case 2:
    text.insert(position, random.pick(words));
    break;
  case 3:
    text.erase(position, end - position);
    break;
  case 4:
    text.insert(position, text.substr(position, end - position));
    break;
  default: // another word of the text
    size_t other = random.below(text.size());
    text.replace(position, end - position, text.substr(other, wordEnd(text, other) - other));
  }
}

} // namespace

const int64_t edges[24] = {0,
                           1,
                           2,
                           3,
                           7,
                           8,
                           16,
                           31,
                           64,
                           127,
                           1024,
                           65535,
                           65536,
                           -1,
                           -2,
                           -16,
                           std::numeric_limits<int32_t>::max(),
                           std::numeric_limits<int32_t>::min(),
                           int64_t(1) << 31,
                           int64_t(1) << 32,
                           int64_t(1) << 40,
                           int64_t(1) << 62,
                           std::numeric_limits<int64_t>::max(),
                           std::numeric_limits<int64_t>::min()};

void damageWords(Random &random, std::string &text, Words words, size_t most) {
  for (size_t changes = 1 + random.below(most); changes > 0 && !text.empty(); --changes)
    damageWord(random, text, words);
}

void moveLine(Random &random, std::string &text, size_t position) {
  size_t start = position ? text.rfind('\n', position - 1) : std::string::npos;
  start = start == std::string::npos ? 0 : start + 1;
  size_t end = std::min(text.find('\n', position), text.size() - 1);
  std::string line = text.substr(start, end + 1 - start);
  size_t target = text.find('\n', random.below(text.size()));
  if (target != std::string::npos)
    text.insert(target + 1, (random.oneIn(3) ? "    " : "") + line);
}

void damageNumber(Random &random, std::string &bytes, size_t first) {
  size_t width = size_t(1) << random.below(4);
  if (bytes.size() < first + width)
    return;
  int64_t number = random.oneIn(2) ? random.pick(edges)
                                   : static_cast<int64_t>(bytes.size()) - 2 +
                                         static_cast<int64_t>(random.below(5));
  char written[8];
  std::memcpy(written, &number, sizeof(number));
  if (random.oneIn(2)) // CBOR and the network have the highest byte first
    std::reverse(written, written + width);
  bytes.replace(first + random.below(bytes.size() - first - width + 1), width, written, width);
}

void damageBytes(Random &random, std::string &bytes, size_t first) {
  for (size_t changes = 1 + random.below(3); changes > 0 && bytes.size() > first; --changes) {
    size_t position = first + random.below(bytes.size() - first);
    switch (random.below(7)) {
    case 0:
    case 1:
      bytes[position] = static_cast<char>(bytes[position] ^ 1 << random.below(8));
      break;
    case 2:
      bytes[position] = static_cast<char>(random.bits());
      break;
    case 3:
      bytes.erase(position, 1 + random.below(16));
      break;
    case 4:
      bytes.insert(position, bytes.substr(first + random.below(bytes.size() - first), 16));
      break;
    case 5:
      damageNumber(random, bytes, first);
      break;
    default:
      if (random.oneIn(4))
        bytes.resize(position);
    }
  }
}

} // namespace nereid::fuzz
