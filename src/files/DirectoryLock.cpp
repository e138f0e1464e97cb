// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/DirectoryLock.h"

#include "nereid/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace nereid::files {
namespace {

constexpr std::chrono::milliseconds pause{3};

bool isSameFile(int file, const std::string &path) {
  struct stat here, there;
  return fstat(file, &here) == 0 && stat(path.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/// NFS locks only what is open for writing; what another user made is at least readable.
int openForLock(const std::string &path) {
  int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0 && errno == EACCES)
    file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  return file;
}

} // namespace

DirectoryLock::DirectoryLock(const std::string &directory, Means means,
                             std::chrono::milliseconds most)
    : directory(directory.empty() ? "." : directory) {
  auto deadline = std::chrono::steady_clock::now() + most;
  bool hasFlock = means == Means::Any;
  for (;;) {
    Outcome outcome = hasFlock ? tryFlock() : tryFileThere();
    if (outcome == Outcome::Held)
      return;
    if (outcome == Outcome::NoLocks)
      hasFlock = false;
    else if (std::chrono::steady_clock::now() >= deadline)
      fail("another process has held " + path + " for too long");
    else
      std::this_thread::sleep_for(pause);
  }
}

/// The file goes while it is still locked, so that nothing is left: who waits for it finds that it
/// is not the one of that name any more.
DirectoryLock::~DirectoryLock() {
  unlink(path.c_str());
  close(file);
}

void DirectoryLock::fail(const std::string &reason) const {
  throw Error(Error::Kind::Environment, "cannot lock directory " + directory + ": " + reason);
}

DirectoryLock::Outcome DirectoryLock::tryFlock() {
  path = directory + "/.nereid.lock";
  file = openForLock(path);
  if (file < 0)
    fail(std::strerror(errno));
  bool isLocked = flock(file, LOCK_EX | LOCK_NB) == 0;
  int error = errno;
  if (isLocked && isSameFile(file, path))
    return Outcome::Held;
  bool isBusy = isLocked || error == EWOULDBLOCK || error == EINTR;
  if (!isBusy)
    unlink(path.c_str());
  close(file);
  return isBusy ? Outcome::Busy : Outcome::NoLocks;
}

DirectoryLock::Outcome DirectoryLock::tryFileThere() {
  path = directory + "/.nereid.held";
  file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file >= 0)
    return Outcome::Held;
  if (errno != EEXIST)
    fail(std::strerror(errno));
  struct stat status;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (lstat(path.c_str(), &status) == 0 && now.tv_sec - status.st_mtim.tv_sec > patience.count())
    unlink(path.c_str());
  return Outcome::Busy;
}

} // namespace nereid::files
