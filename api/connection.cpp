#include "api/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "api/respond.h"

namespace iobenchd::api {

Io receive(const Connection& connection, std::string& into, std::size_t most) {
  std::array<char, std::size_t{64} * 1024> bytes;  // not cleared: only what recv filled is read
  const ssize_t size =
      ::recv(connection.socket.get(), bytes.data(), std::min(most, bytes.size()), MSG_DONTWAIT);
  if (size > 0) {
    into.append(bytes.data(), static_cast<std::size_t>(size));
    return Io::some;
  }
  const bool later = size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  return later ? Io::later : Io::gone;
}

Io send_output(Connection& connection) {
  while (connection.unsent() > 0) {
    const ssize_t size =
        ::send(connection.socket.get(), connection.output.data() + connection.sent_bytes,
               connection.unsent(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size >= 0) {
      connection.sent_bytes += static_cast<std::size_t>(size);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return Io::later;
    } else if (errno != EINTR) {
      return Io::gone;
    }
  }
  return Io::some;
}

std::string plain_answer(const Response& response, bool close, bool without_body) {
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " ";
  text += status_title(response.status);
  for (const auto& [name, value] : response.headers) {
    text.append("\r\n").append(name).append(": ").append(value);
  }
  if (response.status != 204) {
    text += "\r\nContent-Type: " + response.content_type +
            "\r\nContent-Length: " + std::to_string(response.body.size());
  }
  text += "\r\nX-Content-Type-Options: nosniff";
  if (close) text += "\r\nConnection: close";
  text += "\r\n\r\n";
  if (!without_body) text += response.body;
  return text;
}

}  // namespace iobenchd::api
