// SPDX-License-Identifier: Apache-2.0
// The parsed and validated command line; a usage error is an exception with a readable sentence.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "descriptors.hpp"

enum class Algorithm { kMwcas, kMwswap };
enum class Bug { kNone, kDirtyBit, kLostUpdate };
enum class Results { kAt, kFalse, kValues };

struct Options {
  std::size_t threads = 3;
  std::size_t operations = 0;  // of each thread; 0: not specified
  double seconds = 0;          // 0: run the specified number of operations
  std::size_t words = 3;
  std::size_t addresses = 4;
  double reads = 0.2;
  double stale = 0.5;
  bool unread_expected = false;
  Algorithm algorithm = Algorithm::kMwcas;
  Bug bug = Bug::kNone;
  Results results = Results::kAt;
  std::size_t crashes = 0;
  std::size_t process_crashes = 0;
  double evictions = 0.25;
  std::int64_t flush_nanoseconds = 150;
  double delays = 0.3;
  std::uint64_t seed = 1;
  std::string log;  // a file, "-" for standard output, or empty: no recording
  bool help = false;
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr std::string_view kUsage =
    R"(usage: driver [OPTION VALUE]...
Runs a persistent multi-word CAS or swap on real threads and emulated persistent memory, and records its history.

  --algorithm mwcas|mwswap  the object under test (mwcas)
  --bug none|dirty-bit|lost-update
                            a bug to inject: dirty-bit into mwcas, lost-update into mwswap (none)
  --threads N               number of threads, 1 to 200 (3)
  --operations N            per thread (1000); with --seconds, the maximum (1000000)
  --seconds S               duration of the run, instead of --operations
  --words N                 per operation, 1 to 16 (3)
  --addresses N             words in memory (4)
  --reads SHARE             share of reads that do not prepare an mwcas, 0 to 1 (0.2)
  --stale SHARE             share of mwcas that expect, at one word, an older value than the one just read (0.5)
  --unread-expected         also expect values that no operation has read
  --results at|false|values result of a failed mwcas: the mismatched word, false, or the values of all words (at)
  --crashes N               crashes of the whole system, at random moments (0)
  --process-crashes N       crashes of single processes, at random moments (0)
  --evictions SHARE         share of unflushed words that the cache has written back when the system crashes (0.25)
  --flush-ns N              duration of a flush in nanoseconds (150)
  --yield PERCENT           percentage of steps with a short delay (30)
  --seed N                  seed of all choices; the machine decides the interleaving (1)
  --log FILE|-              write operation lines for linpoint check --spec mwcas; without it nothing is recorded
  --help                    print this text

Standard error gets one line of JSON about the run. Exit code: 0 success, 2 usage error, 3 failure.
)";

namespace options_detail {

template <class Number>
Number number(std::string_view name, std::string_view text, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most)) {
    throw UsageError(std::string(name) + " is " + std::string(text) + "; it takes a number from " +
                     std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

inline double share(std::string_view name, std::string_view text) { return number<double>(name, text, 0, 1); }

template <class Choice, std::size_t N>
Choice choice(std::string_view name, std::string_view text, const std::string_view (&words)[N]) {
  std::string all;
  for (std::size_t i = 0; i < N; ++i) {
    if (words[i] == text) return static_cast<Choice>(i);
    all += (i == 0 ? "" : ", ") + std::string(words[i]);
  }
  throw UsageError(std::string(name) + " is " + std::string(text) + "; it takes one of " + all);
}

inline void set(Options& options, std::string_view name, std::string_view text) {
  constexpr std::size_t kMany = 100'000'000;
  // clang-format off
  if (name == "--algorithm") options.algorithm = choice<Algorithm>(name, text, {"mwcas", "mwswap"});
  else if (name == "--bug") options.bug = choice<Bug>(name, text, {"none", "dirty-bit", "lost-update"});
  else if (name == "--results") options.results = choice<Results>(name, text, {"at", "false", "values"});
  else if (name == "--threads") options.threads = number<std::size_t>(name, text, 1, 200);
  else if (name == "--operations") options.operations = number<std::size_t>(name, text, 1, kMany);
  else if (name == "--seconds") options.seconds = number<double>(name, text, 0.001, 86400);
  else if (name == "--words") options.words = number<std::size_t>(name, text, 1, 16);
  else if (name == "--addresses") options.addresses = number<std::size_t>(name, text, 1, kMany);
  else if (name == "--reads") options.reads = share(name, text);
  else if (name == "--stale") options.stale = share(name, text);
  else if (name == "--evictions") options.evictions = share(name, text);
  else if (name == "--crashes") options.crashes = number<std::size_t>(name, text, 0, kMany);
  else if (name == "--process-crashes") options.process_crashes = number<std::size_t>(name, text, 0, kMany);
  else if (name == "--flush-ns") options.flush_nanoseconds = number<std::int64_t>(name, text, 0, 1'000'000'000);
  else if (name == "--yield") options.delays = number<double>(name, text, 0, 100) / 100;
  else if (name == "--seed") options.seed = number<std::uint64_t>(name, text, 0, UINT64_MAX);
  else if (name == "--log") options.log = text;
  else throw UsageError("unknown option " + std::string(name));
  // clang-format on
}

inline void check(const Options& options) {
  if (options.words > options.addresses) {
    throw UsageError("--words is more than --addresses: an operation works on different words");
  }
  if (options.bug == Bug::kDirtyBit && options.algorithm != Algorithm::kMwcas) {
    throw UsageError("--bug dirty-bit is a bug of --algorithm mwcas");
  }
  if (options.bug == Bug::kLostUpdate && options.algorithm != Algorithm::kMwswap) {
    throw UsageError("--bug lost-update is a bug of --algorithm mwswap");
  }
}

}  // namespace options_detail

inline Options parse(std::span<char* const> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    if (name == "--help") {
      options.help = true;
    } else if (name == "--unread-expected") {
      options.unread_expected = true;
    } else if (i + 1 == arguments.size()) {
      throw UsageError(name.starts_with("--") ? std::string(name) + " is unknown or lacks its value"
                                              : "unknown option " + std::string(name));
    } else {
      options_detail::set(options, name, arguments[++i]);
    }
  }
  if (options.operations == 0) options.operations = options.seconds > 0 ? 1'000'000 : 1'000;
  options_detail::check(options);
  return options;
}
