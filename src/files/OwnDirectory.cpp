// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/OwnDirectory.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace nereid::files {

std::string makeOwnDirectory(const std::string &path) {
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    std::string part = path.substr(0, end);
    struct stat status;
    if (stat(part.c_str(), &status) == 0) {
      if (!S_ISDIR(status.st_mode))
        return part + " is no directory";
    } else if (mkdir(part.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      return part + ": " + std::strerror(errno);
    }
  }
  return {};
}

} // namespace nereid::files
