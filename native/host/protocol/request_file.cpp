// SPDX-License-Identifier: Apache-2.0
#include "host/protocol/request_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace linpoint::runtime {

std::vector<std::string> read_parts(int file) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t read = ::read(file, buffer.data(), buffer.size());
    if (read <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(read));
  }
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace linpoint::runtime
