// SPDX-License-Identifier: Apache-2.0
#include "host/search/make_search.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <chrono>
#include <cstddef>
#include <ctime>
#include <string_view>
#include <vector>

#include "host/protocol/command_line_text.hpp"
#include "host/protocol/options.hpp"

namespace linpoint::runtime {

namespace {

std::unique_ptr<explore::Explorer> make_replay_of(std::string_view text) {
  std::vector<explore::Deviation> deviations;
  while (!text.empty()) {
    std::string_view pair = cut(text, ',');
    explore::Deviation deviation;
    if (!read_number(cut(pair, '.'), deviation.step) || !read_number(pair, deviation.process)) return nullptr;
    deviations.push_back(deviation);
  }
  return explore::make_replay(std::move(deviations));
}

/// Waits a moment; whether there is time left.
bool wait_for_others() {
  const auto now = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()); };
  static const auto begin = now();
  const timespec moment{.tv_sec = 0, .tv_nsec = 50'000};
  nanosleep(&moment, nullptr);
  return options.seconds <= 0 || (now() - begin).count() < options.seconds;
}

std::unique_ptr<explore::Explorer> make_exhaustive() {
  const explore::DporOptions dpor_options{
      .sleep_sets = true, .whole_places = true, .family_bits = memory::family_bits(options.memory_model)};
  if (options.share < 0) return explore::make_dpor(dpor_options);
  struct stat file{};
  if (fstat(options.share, &file) != 0) return nullptr;
  const auto size = static_cast<std::size_t>(file.st_size);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, options.share, 0);
  if (memory == MAP_FAILED) return nullptr;
  return explore::make_shared_dpor(dpor_options, {static_cast<std::byte*>(memory), size},
                                   static_cast<unsigned>(options.workers), wait_for_others);
}

}  // namespace

std::unique_ptr<explore::Explorer> make_search() {
  std::string_view rest = options.search;
  const std::string_view name = cut(rest, ':');
  std::uint64_t runs = 0;
  if (name == "dpor") return make_exhaustive();
  if (name == "replay") return make_replay_of(rest);
  if (name == "bounded") {
    int most = 0;
    return read_number(rest, most) && most >= 0 ? explore::make_bounded(most) : nullptr;
  }
  if (name == "random") return read_number(rest, runs) ? explore::make_random(options.seed, runs) : nullptr;
  if (name == "pos") return read_number(rest, runs) ? explore::make_pos(options.seed, runs) : nullptr;
  if (name == "pct") {
    unsigned depth = 0;
    const bool known = read_number(cut(rest, ':'), depth) && depth > 0 && read_number(rest, runs);
    return known ? explore::make_pct(options.seed, runs, depth) : nullptr;
  }
  return nullptr;
}

}  // namespace linpoint::runtime
