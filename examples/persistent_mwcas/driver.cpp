// SPDX-License-Identifier: Apache-2.0
// Runs a persistent multi-word CAS or swap on real threads and records its history. See README.md, or --help.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "crashes.hpp"
#include "lines.hpp"
#include "log.hpp"
#include "memory.hpp"
#include "mwcas.hpp"
#include "options.hpp"
#include "process.hpp"

namespace {

constexpr int kUsageCode = 2;
constexpr int kFailureCode = 3;

using Processes = std::vector<std::unique_ptr<Process>>;

// Starts all threads together; returns the start time. An exception in a thread ends the program, since the other
// threads would wait forever.
std::int64_t run(const Processes& processes) {
  std::atomic<std::size_t> ready{0};
  std::atomic<std::int64_t> start{0};
  std::vector<std::thread> threads;
  threads.reserve(processes.size());
  for (const std::unique_ptr<Process>& process : processes) {
    threads.emplace_back([&ready, &start, own = process.get()] {
      ++ready;
      while (start.load() == 0) std::this_thread::yield();
      try {
        own->run(start.load());
      } catch (const std::exception& error) {
        std::cerr << "driver: " << error.what() << "\n";
        std::_Exit(kFailureCode);
      }
    });
  }
  while (ready.load() < processes.size()) std::this_thread::yield();
  start.store(nanoseconds());
  for (std::thread& thread : threads) thread.join();
  return start.load();
}

std::vector<CrashLine> crash_lines(const Processes& processes, const SystemCrashes& crashes) {
  std::vector<CrashLine> lines;
  for (const std::int64_t time : crashes.times()) lines.push_back({time, kEveryone});
  for (const std::unique_ptr<Process>& process : processes) {
    lines.insert(lines.end(), process->own_crashes().begin(), process->own_crashes().end());
  }
  std::sort(lines.begin(), lines.end(), [](const CrashLine& one, const CrashLine& two) { return one.time < two.time; });
  return lines;
}

void write_log(const Options& options, const Processes& processes, const std::vector<CrashLine>& crashes,
               std::int64_t start) {
  constexpr FailureForm kForms[] = {FailureForm::kBlamed, FailureForm::kFalse, FailureForm::kValues};
  std::vector<const Recorder*> recorders;
  for (const std::unique_ptr<Process>& process : processes) recorders.push_back(&process->recorder());
  std::ofstream file;
  if (options.log != "-") file.open(options.log, std::ios::binary);
  if (!file) throw std::runtime_error("cannot write " + options.log);
  LineWriter writer(options.log == "-" ? std::cout : file, kForms[static_cast<std::size_t>(options.results)], start);
  write_lines(writer, recorders, crashes);
}

struct Times {
  double seconds;    // of the run, wall-clock time
  double processor;  // of the run, processor time of all threads together
  double writing;    // of the log, afterwards
};

void summarise(const Processes& processes, std::size_t system_crashes, std::size_t all_crashes, const Times& times) {
  Counts sum;
  for (const std::unique_ptr<Process>& process : processes) {
    sum.operations += process->counts().operations;
    sum.reads += process->counts().reads;
    sum.succeeded += process->counts().succeeded;
    sum.failed += process->counts().failed;
    sum.unknown += process->counts().unknown;
  }
  std::cerr << std::fixed << "{\"operations\": " << sum.operations << ", \"reads\": " << sum.reads
            << ", \"succeeded\": " << sum.succeeded << ", \"failed\": " << sum.failed
            << ", \"unknown\": " << sum.unknown << ", \"crashes\": " << system_crashes
            << ", \"process_crashes\": " << all_crashes - system_crashes << ", \"seconds\": " << times.seconds
            << ", \"processor_seconds\": " << times.processor
            << ", \"operations_per_second\": " << static_cast<double>(sum.operations) / times.seconds
            << ", \"writing_seconds\": " << times.writing << "}\n";
}

int drive(const Options& options) {
  Memory memory(options.addresses, options.flush_nanoseconds);
  Mwcas mwcas(memory, options.threads, options.words, options.bug == Bug::kDirtyBit);
  Random random(options.seed);
  SystemCrashes crashes(options.threads, [&] {
    memory.lose(random, options.evictions);
    mwcas.recover_system(random, options.evictions);
  });
  const bool timed = options.seconds > 0;
  const auto span =
      timed ? static_cast<std::int64_t>(options.seconds * 1e9) : static_cast<std::int64_t>(options.operations);
  auto plans = plan_crashes(Random(options.seed + 1), options.threads, span, options.crashes, options.process_crashes);
  Processes processes;
  for (std::size_t number = 0; number < options.threads; ++number) {
    processes.push_back(std::make_unique<Process>(options, number, mwcas, crashes, std::move(plans[number])));
  }
  const std::clock_t busy = std::clock();
  const std::int64_t start = run(processes);
  const std::int64_t end = nanoseconds();
  const double processor = static_cast<double>(std::clock() - busy) / CLOCKS_PER_SEC;
  const std::vector<CrashLine> lines = crash_lines(processes, crashes);
  if (!options.log.empty()) write_log(options, processes, lines, start);
  const double writing = static_cast<double>(nanoseconds() - end) * 1e-9;
  summarise(processes, crashes.times().size(), lines.size(),
            {static_cast<double>(end - start) * 1e-9, processor, writing});
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const Options options = parse({arguments, static_cast<std::size_t>(count)});
    if (options.help) {
      std::cout << kUsage;
      return 0;
    }
    return drive(options);
  } catch (const UsageError& error) {
    std::cerr << "driver: " << error.what() << " (--help shows all options)\n";
    return kUsageCode;
  } catch (const std::exception& error) {
    std::cerr << "driver: " << error.what() << "\n";
    return kFailureCode;
  }
}
