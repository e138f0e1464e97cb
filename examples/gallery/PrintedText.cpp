// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PrintedText.h"

#include "nereid/nereid.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace nereid::gallery {
namespace {

int require(int result, const char *call) {
  if (result < 0)
    throw Error(Error::Kind::Environment, std::string(call) + ": " + std::strerror(errno));
  return result;
}

/// Sends the standard output to another file for as long as it lives.
class Redirection {
public:
  explicit Redirection(std::FILE *file) {
    std::fflush(stdout);
    original = require(dup(STDOUT_FILENO), "dup");
    require(dup2(fileno(file), STDOUT_FILENO), "dup2");
  }
  ~Redirection() {
    std::fflush(stdout);
    dup2(original, STDOUT_FILENO);
    close(original);
  }
  Redirection(const Redirection &) = delete;
  Redirection &operator=(const Redirection &) = delete;

private:
  int original;
};

struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};

} // namespace

std::string printedText(const std::function<void()> &act) {
  std::unique_ptr<std::FILE, CloseFile> file(std::tmpfile());
  require(file ? 0 : -1, "tmpfile");
  {
    Redirection redirection(file.get());
    act();
  }
  std::rewind(file.get());
  std::string text;
  for (int c; (c = std::fgetc(file.get())) != EOF;)
    text += char(c);
  return text;
}

} // namespace nereid::gallery
