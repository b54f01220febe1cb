// SPDX-License-Identifier: Apache-2.0
#include "host/protocol/arguments.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <vector>

#include "host/core/atomic_functions.hpp"
#include "host/core/inserted_fences.hpp"

namespace linpoint::runtime {

namespace {

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// What comes before the first such character; the rest is left.
std::string_view cut(std::string_view& text, char at) {
  const std::size_t found = text.find(at);
  const std::string_view part = text.substr(0, found);
  text.remove_prefix(found == std::string_view::npos ? text.size() : found + 1);
  return part;
}

template <typename Value>
struct Word {
  std::string_view word;
  Value value;
};

template <typename Value, std::size_t Count>
bool read_word(std::string_view text, const Word<Value> (&words)[Count], Value& value) {
  for (const Word<Value>& each : words)
    if (each.word == text) {
      value = each.value;
      return true;
    }
  return false;
}

bool read_flag(std::string_view name) {
  const Word<bool*> flags[] = {{"--reuse", &options.reuse},
                               {"--spurious", &options.spurious},
                               {"--trace", &options.trace},
                               {"--outcomes", &options.outcomes},
                               {"--os-threads", &options.os_threads},
                               {"--atomic-operations", &options.atomic_operations},
                               {"--points-only", &options.points_only},
                               {"--persistent-heap", &options.persistent_heap}};
  bool* flag = nullptr;
  if (!read_word(name, flags, flag)) return false;
  *flag = true;
  return true;
}

/// "1/4": the second of four.
bool read_shard(std::string_view text) {
  return read_number(cut(text, '/'), options.shard) && read_number(text, options.shards) &&
         options.shard < options.shards;
}

bool read_crash_option(std::string_view name, std::string_view value) {
  if (name == "--crash") {
    options.crash = value;
    return !value.empty();
  }
  if (name == "--answers") return read_number(value, options.answers);
  if (name == "--persistency") return read_word<bool>(value, {{"adr", false}, {"eadr", true}}, options.eadr);
  if (name == "--pool-size") return read_number(value, options.pool_size);
  if (name == "--shard") return read_shard(value);
  if (name == "--images") {
    options.images = value;
    return !value.empty();
  }
  if (name == "--every") return read_number(value, options.every) && options.every > 0;
  if (name == "--fuel") return read_number(value, options.fuel) && options.fuel > 0;
  return false;
}

/// False if the value is wrong or the option is not known.
bool read_option(std::string_view name, std::string_view value) {
  if (name == "--memory-model")
    return read_word<Model>(value, {{"sc", Model::kSc}, {"tso", Model::kTso}, {"pso", Model::kPso}}, options.model);
  if (name == "--races")
    return read_word<Races>(value, {{"stop", Races::kStop}, {"report", Races::kReport}, {"ignore", Races::kIgnore}},
                            options.races);
  if (name == "--isolate") return read_word<bool>(value, {{"none", false}, {"fork", true}}, options.fork);
  if (name == "--seed") return read_number(value, options.seed);
  if (name == "--seconds") return read_number(value, options.seconds);
  if (name == "--max-steps") return read_number(value, options.max_steps);
  if (name == "--max-memory") {
    options.memory_is_limited = true;
    return read_number(value, options.max_memory);
  }
  if (name == "--atomic") return atomic_functions.choose(value);
  if (name == "--fences") return forced_fences.choose(value);
  if (name == "--share") return read_number(value, options.share);
  if (name == "--workers") return read_number(value, options.workers);
  if (name == "--scenarios") return read_number(value, options.scenarios);
  if (name == "--results") return read_number(value, options.results);
  if (name == "--search") {
    options.search = value;
    return make_search() != nullptr;
  }
  return read_crash_option(name, value);
}

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

/// Takes a moment, and says whether there is time left.
bool wait_for_others() {
  const auto now = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()); };
  static const auto begin = now();
  const timespec moment{.tv_sec = 0, .tv_nsec = 50'000};
  nanosleep(&moment, nullptr);
  return options.seconds <= 0 || (now() - begin).count() < options.seconds;
}

std::unique_ptr<explore::Explorer> make_exhaustive() {
  const explore::DporOptions manner{
      .sleep_sets = true, .whole_places = true, .family_bits = memory::family_bits(options.model)};
  if (options.share < 0) return explore::make_dpor(manner);
  struct stat file{};
  if (fstat(options.share, &file) != 0) return nullptr;
  const auto size = static_cast<std::size_t>(file.st_size);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, options.share, 0);
  if (memory == MAP_FAILED) return nullptr;
  return explore::make_shared_dpor(manner, {static_cast<std::byte*>(memory), size}, options.workers, wait_for_others);
}

}  // namespace

std::string read_arguments(int argc, char** argv) {
  int at = 1;
  for (; at < argc && std::strcmp(argv[at], "--") != 0; ++at) {
    const std::string name = argv[at];
    if (!name.starts_with("--")) {
      if (!options.target.empty()) return "there is one target, but \"" + name + "\" is another";
      options.target = name;
      continue;
    }
    if (read_flag(name)) continue;
    if (at + 1 == argc) return name + " needs a value, or is not known";
    ++at;
    if (!read_option(name, argv[at])) return name + " cannot be \"" + argv[at] + "\", or is not known";
  }
  if (options.target.empty()) return "there is no target";
  static std::vector<char*> arguments{options.target.data()};
  for (++at; at < argc; ++at) arguments.push_back(argv[at]);
  options.argc = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  options.argv = arguments.data();
  return "";
}

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
