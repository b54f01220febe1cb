// SPDX-License-Identifier: Apache-2.0
#include "host/interpose/process/captured_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "host/base/host_memory.hpp"
#include "host/core/library_scheduling_points.hpp"

namespace linpoint::runtime {

namespace {

/// Maximum output recorded per run.
constexpr std::size_t kMost = std::size_t{64} << 10U;
/// Maximum output shown in the text of a step.
constexpr std::size_t kMostShown = 200;

HostString text;
std::size_t kept = 0;
int complaints_descriptor = STDERR_FILENO;

/// Moves a descriptor out of the range that programs use.
int moved_up(int descriptor) {
  constexpr int kFirst = 200;
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, kFirst);
  return moved < 0 ? descriptor : moved;
}

}  // namespace

int take_streams(int results) {
  const int moved = moved_up(results);
  complaints_descriptor = moved_up(STDERR_FILENO);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return moved;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  ::close(nothing);
  return moved;
}

int complaints() { return complaints_descriptor; }

void print(std::string_view more, const void* caller) {
  if (more.empty()) return;
  const HostString words = HostString("prints ") + HostString(more.substr(0, kMostShown));
  library_step({.kind = Kind::kNote, .caller = caller, .message = words.c_str()},
               {at_place(Mode::kWrite, Abstract::kOutput)}, {});
  text += more.substr(0, kMost - std::min(kMost, text.size()));
}

void keep_output() { kept = text.size(); }
void restore_output() { text.resize(kept); }

namespace library {

std::string_view printed() { return text; }

}  // namespace library

}  // namespace linpoint::runtime
