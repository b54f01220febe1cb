// SPDX-License-Identifier: Apache-2.0
#include "host/crash/image_samples.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "host/base/result_qualifications.hpp"
#include "host/protocol/message_writer.hpp"
#include "host/protocol/options.hpp"

namespace linpoint::runtime::crash {

bool Samples::wanted() { return !options.images.empty() && tests_++ % options.every == 0; }

void Samples::keep(const Walk& walk) {
  path_ = options.images + "/" + std::to_string(tests_ - 1) + ".pool";
  cursor_ = walk.cursor();
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  std::size_t done = 0;
  const std::size_t size = walk.images().extent();
  while (file >= 0 && done < size) {
    const ssize_t more = ::write(file, the_pool.memory() + done, size - done);
    if (more <= 0) break;
    done += static_cast<std::size_t>(more);
  }
  if (file >= 0) ::close(file);
  if (done < size) qualify("an image could not be written to " + path_);
}

void Samples::send(const Oracle& oracle, Class kind, const Context& context, const Outcome& outcome,
                   bool allowed) const {
  MessageWriter writer(message::kSampled);
  Json& json = writer.json;
  json.field(field::kFile, path_).field(field::kCursor, cursor_).field(field::kAllowed, allowed);
  oracle.put(json, kind, context, outcome);
  writer.send();
}

}  // namespace linpoint::runtime::crash
