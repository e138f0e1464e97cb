// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Npy.h"

#include "NpyHeader.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <vector>

namespace nereid::command {
namespace {

[[noreturn]] void failReading(const std::string &path, const std::string &reason) {
  throw Error(Error::Kind::Environment, "cannot read " + path + ": " + reason);
}

class InputFile {
public:
  explicit InputFile(const std::string &path) : path(path) {
    // Without O_NONBLOCK, opening a pipe waits until somebody writes.
    int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
      failReading(path, std::string("open: ") + std::strerror(errno));
    file.reset(fdopen(descriptor, "rb"));
    if (!file)
      failReading(path, std::string("fdopen: ") + std::strerror(errno));
    struct stat status;
    if (fstat(descriptor, &status) != 0)
      failReading(path, std::string("fstat: ") + std::strerror(errno));
    // The size of anything else is not known before it is read, and a header is checked against it.
    if (!S_ISREG(status.st_mode))
      failReading(path, "it is not a regular file");
    bytesLeft_ = static_cast<uint64_t>(status.st_size);
  }

  uint64_t bytesLeft() const { return bytesLeft_; }

  void seek(size_t position) {
    if (std::fseek(file.get(), static_cast<long>(position), SEEK_SET) != 0)
      failReading(path, std::string("fseek: ") + std::strerror(errno));
  }
  /// Up to `bytes`; fewer only at the end of the file.
  std::string readSome(size_t bytes) {
    std::string text(bytes, '\0');
    text.resize(std::fread(text.data(), 1, bytes, file.get()));
    return text;
  }
  void read(void *data, size_t bytes) {
    if (bytes && std::fread(data, 1, bytes, file.get()) != bytes)
      failReading(path, "it ends too early");
  }

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  const std::string &path;
  std::unique_ptr<std::FILE, Close> file;
  uint64_t bytesLeft_ = 0;
};

/// Copies elements from column-major to row-major order.
void reorder(const std::vector<int64_t> &shape, size_t elementBytes, const char *from, char *to,
             size_t count) {
  std::vector<size_t> index(shape.size()), strides(shape.size());
  size_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    strides[i] = stride;
    stride *= static_cast<size_t>(shape[i]);
  }
  size_t offset = 0;
  for (size_t element = 0; element < count; ++element) {
    std::memcpy(to + element * elementBytes, from + offset * elementBytes, elementBytes);
    for (size_t i = shape.size(); i-- > 0;) {
      offset += strides[i];
      if (++index[i] < static_cast<size_t>(shape[i]))
        break;
      offset -= strides[i] * index[i];
      index[i] = 0;
    }
  }
}

std::vector<char> convert(const std::vector<char> &elements, DType from, DType to, size_t count) {
  std::vector<char> converted(count * byteSize(to));
  convertElements(from, elements.data(), to, converted.data(), count);
  return converted;
}

uint64_t dataBytesOf(const NpyHeader &header, const std::string &path) {
  uint64_t bytes = byteSize(header.dtype);
  if (std::ranges::find(header.shape, 0) != header.shape.end())
    return 0;
  for (int64_t dimension : header.shape)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dimension), &bytes))
      failReading(path, "its header promises more than memory can hold");
  return bytes;
}

NpyHeader readHeader(InputFile &file, const std::string &path) {
  NpyPreamble preamble = parsePreamble(file.readSome(longestPreamble), path);
  file.seek(preamble.bytes);
  std::string dict = file.readSome(preamble.dictBytes);
  if (dict.size() != preamble.dictBytes)
    failReading(path, "its .npy header is cut off");
  NpyHeader header = parseDict(dict, path);
  // Checked before anything is allocated, so that a header cannot ask for more than the file holds.
  uint64_t dataBytes = file.bytesLeft() - preamble.bytes - preamble.dictBytes;
  uint64_t needed = dataBytesOf(header, path);
  if (needed > dataBytes)
    failReading(path, "its header promises " + std::to_string(needed) + " bytes of data, but " +
                          std::to_string(dataBytes) + " follow");
  return header;
}

} // namespace

Array readNpy(const Device &device, const std::string &path, std::optional<DType> type) {
  InputFile file(path);
  NpyHeader header = readHeader(file, path);
  Array array = device.empty(type.value_or(header.dtype), header.shape);
  auto count = static_cast<size_t>(array.size());
  std::vector<char> elements(count * byteSize(header.dtype));
  file.read(elements.data(), elements.size());
  if (header.isFortranOrder && header.shape.size() > 1) {
    std::vector<char> rowMajor(elements.size());
    reorder(header.shape, byteSize(header.dtype), elements.data(), rowMajor.data(), count);
    elements = std::move(rowMajor);
  }
  // To a kernel a bool is 0 or 1; to numpy every other byte is true as well.
  if (isBool(header.dtype))
    elements = convert(elements, DType::UInt8, DType::Int1, count);
  if (array.dtype() != header.dtype)
    elements = convert(elements, header.dtype, array.dtype(), count);
  array.copyFrom(elements.data());
  return array;
}

files::PendingFile writeNpy(const Array &array, const std::string &path) {
  DType type = numpyDescriptor(array.dtype()).empty() ? DType::Float32 : array.dtype();
  std::vector<char> elements(array.bytes());
  array.copyTo(elements.data());
  if (type != array.dtype())
    elements = convert(elements, array.dtype(), type, static_cast<size_t>(array.size()));
  files::PendingFile file(path);
  std::string header = formatHeader({type, array.shape(), false});
  file.write(header.data(), header.size());
  file.write(elements.data(), elements.size());
  file.finish();
  return file;
}

} // namespace nereid::command
