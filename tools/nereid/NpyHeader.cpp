// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NpyHeader.h"

#include "nereid/error.h"

#include <array>
#include <charconv>
#include <optional>

namespace nereid::command {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t alignment = 64;
/// numpy's own headers stay far below; what is longer is damaged or hostile.
constexpr size_t longestDict = size_t(1) << 20;
/// numpy has no arrays of higher rank.
constexpr size_t highestRank = 64;

[[noreturn]] void failToRead(const std::string &path, const std::string &reason) {
  throw Error(Error::Kind::Environment, "cannot read " + path + ": " + reason);
}

std::string supportedTypes() {
  std::string list;
  for (DType type : allDTypes())
    if (std::string_view descriptor = numpyDescriptor(type); !descriptor.empty())
      list += (list.empty() ? "" : ", ") + std::string(descriptor);
  return list;
}

/// The byte order means nothing for types of one byte.
bool isSameType(std::string_view given, std::string_view own) {
  if (given.size() != own.size() || given.substr(1) != own.substr(1))
    return false;
  return given[0] == own[0] || (own[0] == '|' && (given[0] == '<' || given[0] == '='));
}

std::optional<DType> findType(std::string_view descriptor) {
  for (DType type : allDTypes())
    if (std::string_view own = numpyDescriptor(type); !own.empty() && isSameType(descriptor, own))
      return type;
  return std::nullopt;
}

/// Reads the dict that numpy writes; order and spacing of the entries are free.
class DictReader {
public:
  DictReader(std::string_view text, const std::string &path) : text(text), path(path) {}

  NpyHeader read() {
    expect('{');
    while (!accept('}')) {
      readEntry();
      if (!accept(',') && !at('}'))
        failMalformed();
    }
    skipSpace();
    if (position != text.size() || seen != 7)
      failMalformed();
    return std::move(header);
  }

private:
  void readEntry() {
    std::string_view key = readString();
    expect(':');
    if (key == "descr")
      readType();
    else if (key == "fortran_order")
      readOrder();
    else if (key == "shape")
      readShape();
    else
      failMalformed();
  }

  void readType() {
    seen |= 1;
    skipSpace();
    if (at('['))
      failType("structured records");
    std::string_view descriptor = readString();
    if (descriptor.starts_with('>'))
      failType("big-endian '" + std::string(descriptor) + "'");
    std::optional<DType> type = findType(descriptor);
    if (!type)
      failType("'" + std::string(descriptor) + "'");
    header.dtype = *type;
  }

  void readOrder() {
    seen |= 2;
    if (acceptWord("True"))
      header.isFortranOrder = true;
    else if (!acceptWord("False"))
      failMalformed();
  }

  void readShape() {
    seen |= 4;
    header.shape.clear();
    expect('(');
    while (!accept(')')) {
      if (header.shape.size() == highestRank)
        failMalformed();
      header.shape.push_back(readInteger());
      if (!accept(',') && !at(')'))
        failMalformed();
    }
  }

  int64_t readInteger() {
    skipSpace();
    int64_t value = 0;
    auto [end, error] = std::from_chars(text.data() + position, text.data() + text.size(), value);
    if (error != std::errc() || value < 0)
      failMalformed();
    position = static_cast<size_t>(end - text.data());
    return value;
  }

  std::string_view readString() {
    skipSpace();
    if (position == text.size() || (text[position] != '\'' && text[position] != '"'))
      failMalformed();
    size_t end = text.find(text[position], position + 1);
    if (end == std::string_view::npos)
      failMalformed();
    std::string_view content = text.substr(position + 1, end - position - 1);
    position = end + 1;
    return content;
  }

  void skipSpace() {
    while (position < text.size() && (text[position] == ' ' || text[position] == '\n'))
      ++position;
  }
  bool at(char c) {
    skipSpace();
    return position < text.size() && text[position] == c;
  }
  bool accept(char c) {
    if (!at(c))
      return false;
    ++position;
    return true;
  }
  bool acceptWord(std::string_view word) {
    skipSpace();
    if (!text.substr(position).starts_with(word))
      return false;
    position += word.size();
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      failMalformed();
  }

  [[noreturn]] void failMalformed() const {
    failToRead(path, "its .npy header is malformed at byte " + std::to_string(position));
  }
  [[noreturn]] void failType(const std::string &type) const {
    failToRead(path,
               "element type " + type + " is not supported; accepted are " + supportedTypes());
  }

  std::string_view text;
  const std::string &path;
  size_t position = 0;
  unsigned seen = 0; // a bit for each of the three keys
  NpyHeader header;
};

uint32_t littleEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

} // namespace

NpyPreamble parsePreamble(std::string_view bytes, const std::string &path) {
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + 4)
    failToRead(path, "it is not a .npy file");
  unsigned major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3 || bytes[7] != 0)
    failToRead(path, "its .npy version " + std::to_string(major) + "." +
                         std::to_string(static_cast<unsigned char>(bytes[7])) +
                         " is not supported; 1.0, 2.0 and 3.0 are accepted");
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (bytes.size() < 8 + lengthBytes)
    failToRead(path, "its .npy header is cut off");
  size_t dictBytes = littleEndian(bytes.substr(8, lengthBytes));
  if (dictBytes > longestDict)
    failToRead(path, "its .npy header claims " + std::to_string(dictBytes) + " bytes; up to " +
                         std::to_string(longestDict) + " are accepted");
  return {8 + lengthBytes, dictBytes};
}

NpyHeader parseDict(std::string_view dict, const std::string &path) {
  return DictReader(dict, path).read();
}

std::string formatHeader(const NpyHeader &header) {
  std::string dict = "{'descr': '" + std::string(numpyDescriptor(header.dtype)) +
                     "', 'fortran_order': " + (header.isFortranOrder ? "True" : "False") +
                     ", 'shape': (";
  for (int64_t dimension : header.shape)
    dict += std::to_string(dimension) + (header.shape.size() == 1 ? "," : ", ");
  if (header.shape.size() > 1)
    dict.resize(dict.size() - 2);
  dict += "), }";
  size_t unpadded = magic.size() + 4 + dict.size() + 1;
  dict.append((alignment - unpadded % alignment) % alignment, ' ');
  dict += '\n';
  std::string text(magic);
  text += {1, 0, static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return text + dict;
}

} // namespace nereid::command
