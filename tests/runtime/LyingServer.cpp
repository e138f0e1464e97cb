// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LyingServer.h"

#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace nereid::test {

LyingServer::LyingServer(std::function<void(int)> answer)
    : listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  if (bind(listener, reinterpret_cast<sockaddr *>(&address), length) != 0 ||
      listen(listener, 8) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr *>(&address), &length) != 0)
    throw std::runtime_error("cannot listen");
  port = ntohs(address.sin_port);
  thread = std::jthread([this, answer = std::move(answer)] {
    for (int connection; (connection = accept(listener, nullptr, nullptr)) >= 0;) {
      char request[4096];
      if (recv(connection, request, sizeof(request), 0) > 0)
        answer(connection);
      close(connection);
    }
  });
}

LyingServer::~LyingServer() {
  shutdown(listener, SHUT_RDWR); // ends accept()
  thread.join();
  close(listener);
}

bool LyingServer::write(int connection, const std::string &text) {
  return send(connection, text.data(), text.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

} // namespace nereid::test
