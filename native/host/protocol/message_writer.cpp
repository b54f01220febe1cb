// SPDX-License-Identifier: Apache-2.0
#include "host/protocol/message_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>

#include "host/protocol/options.hpp"

namespace linpoint::runtime {

namespace {

/// Makes other processes wait until this one has written a whole line.
class LineLock {
 public:
  LineLock() { set(F_WRLCK); }
  LineLock(const LineLock&) = delete;
  LineLock& operator=(const LineLock&) = delete;
  ~LineLock() { set(F_UNLCK); }

 private:
  static void set(short type) {
    if (options.scenarios < 0) return;
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    static_cast<void>(fcntl(options.scenarios, F_SETLKW, &lock));
  }
};

void write_line(std::string line) {
  const LineLock lock;
  line += '\n';
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = write(options.results, line.data() + done, line.size() - done);
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace

void MessageWriter::send() {
  json.close('}').close('}');
  write_line(json.text());
}

void send_raw(Name kind, std::string_view value) {
  Json json;
  json.open('{').key(kind).raw(value).close('}');
  write_line(json.text());
}

void send_hello() {
  MessageWriter hello(message::kHello);
  hello.json.field(field::kProtocol, runtime::kProtocol);
  hello.send();
}

}  // namespace linpoint::runtime
