// SPDX-License-Identifier: Apache-2.0
#include "host/search/search_messages.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "host/base/code_modules.hpp"
#include "host/base/result_qualifications.hpp"
#include "host/core/memory_accesses.hpp"
#include "host/core/operation_log.hpp"
#include "host/protocol/json.hpp"
#include "host/search/real_time_orders.hpp"

namespace linpoint::runtime {

namespace {

constexpr const char* kFaults[] = {"assertion", "race",   "deadlock",  "livelock",
                                   "crash",     "memory", "exception", "nondeterminism"};
constexpr const char* kKinds[] = {"read", "write",     "update",    "cas",   "fence", "drain", "lock",  "unlock",
                                  "wait", "notify",    "block",     "spawn", "join",  "exit",  "yield", "allocate",
                                  "free", "assertion", "exception", "crash", "note",  "call",  "return"};
constexpr const char* kOrders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};

void put_value(Json& json, const Bytes& bytes, std::size_t size) {
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), bytes.data(), std::min(size, bytes.size()));
  if (size <= sizeof(std::uint64_t)) {
    json.value(words[0]);
    return;
  }
  std::array<char, 40> text{};
  (void)std::snprintf(text.data(), text.size(), "0x%016llx%016llx", static_cast<unsigned long long>(words[1]),
                      static_cast<unsigned long long>(words[0]));
  json.value(text.data());
}

class Writer {
 public:
  Writer(Json& json, const CodePlaces& modules) : json_(json), modules_(modules) {}

  /// Where data is: in a global of a module, or just an address.
  void put_address(std::uint64_t address) {
    const std::size_t module = modules_.of(address);
    if (module == CodePlaces::kNone) {
      json_.field("address", address);
      return;
    }
    json_.field("address", address - modules_.all()[module].base).field("symbol_module", module);
  }

  void put_step(const TraceStep& step) {
    json_.open('{').field("thread", step.thread).field("kind", kKinds[static_cast<std::size_t>(step.kind)]);
    if (step.address != 0) put_address(step.address);
    if (step.has_block) {
      json_.key("block").open('[').value(step.block.number).value(step.block.offset).value(step.block.size).close(']');
    }
    if (step.size != 0) json_.field("size", step.size);
    put_bytes("value", step.has_value, step.value, step.size);
    put_bytes("old", step.has_old, step.old, step.size);
    put_bytes("expected", step.has_expected, step.expected, step.size);
    if (step.success >= 0) json_.field("success", step.success != 0);
    if (step.order >= 0) json_.field("order", kOrders[std::min<std::size_t>(static_cast<std::size_t>(step.order), 5)]);
    if (step.forwarded) json_.field("forwarded", true);
    if (step.other != kNoThread) json_.field("other", step.other);
    if (!step.message.empty()) json_.field("message", step.message);
    put_place(step);
    put_buffer(step);
    if (step.preempts) json_.field("preempts", true);
    json_.close('}');
  }

  void put_finding(const Finding& finding) {
    json_.open('{').field("kind", fault_name(finding.fault)).field("message", finding.message);
    json_.key("places").open('[');
    for (const void* place : finding.places) json_.value(reinterpret_cast<std::uint64_t>(place));
    json_.close(']');
    put_schedule(json_, finding.schedule);
    json_.field("preemptions", finding.preemptions).field("printed", finding.printed);
    if (finding.address != 0) put_address(finding.address);
    json_.key("steps_of").open('[');
    for (const std::uint32_t step : finding.steps_of) json_.value(step);
    json_.close(']').close('}');
  }

 private:
  void put_bytes(const char* name, bool there, const Bytes& bytes, std::size_t size) {
    if (!there) return;
    json_.key(name);
    put_value(json_, bytes, size);
  }

  void put_place(const TraceStep& step) {
    if (step.caller == nullptr) return;
    const auto number = reinterpret_cast<std::uint64_t>(step.caller);
    const std::size_t module = modules_.of(number);
    if (module == CodePlaces::kNone)
      json_.field("pc", number);
    else
      json_.field("pc", number - modules_.all()[module].base).field("module", module);
    json_.key("stack").open('[');
    for (const void* each : step.stack) json_.value(reinterpret_cast<std::uint64_t>(each));
    json_.close(']');
  }

  void put_buffer(const TraceStep& step) {
    if (step.buffer.empty()) return;
    json_.key("buffer").open('[');
    for (const memory::Store& store : step.buffer) {
      json_.open('[').value(store.address).value(store.size);
      put_value(json_, store.value, store.size);
      json_.close(']');
    }
    json_.close(']');
  }

  Json& json_;
  const CodePlaces& modules_;
};

void put_counts(Json& json, const explore::Progress& progress) {
  json.field("schedules", progress.runs).field("redundant", progress.redundant).field("cut", progress.cut);
  json.field("steps", progress.steps);
}

void put_trace(Json& json, Writer& writer) {
  json.key("trace").open('{').key("threads").open('[');
  for (Thread thread = 0; thread < scheduler.threads(); ++thread) {
    const std::string name = thread == 0 ? "main" : "T" + std::to_string(thread);
    json.open('{').field("id", thread).field("name", name).close('}');
  }
  json.close(']').key("steps").open('[');
  for (const TraceStep& step : scheduler.trace.steps()) writer.put_step(step);
  json.close(']').close('}');
}

/// Lets other processes wait until this one has written a whole line.
class Speaking {
 public:
  Speaking() { set(F_WRLCK); }
  Speaking(const Speaking&) = delete;
  Speaking& operator=(const Speaking&) = delete;
  ~Speaking() { set(F_UNLCK); }

 private:
  static void set(short type) {
    if (options.scenarios < 0) return;
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    static_cast<void>(fcntl(options.scenarios, F_SETLKW, &lock));
  }
};

}  // namespace

void say(std::string line) {
  const Speaking turn;
  line += '\n';
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = write(options.results, line.data() + done, line.size() - done);
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

const char* fault_name(Fault fault) { return kFaults[static_cast<std::size_t>(fault)]; }

void put_schedule(Json& json, const std::vector<explore::Deviation>& schedule) {
  json.key("schedule").open('[');
  for (const explore::Deviation& deviation : schedule)
    json.open('[').value(deviation.step).value(deviation.process).close(']');
  json.close(']');
}

void say_progress(const explore::Explorer& explorer) {
  Json json;
  json.open('{').key("progress").open('{').field("scenario", options.scenario);
  put_counts(json, explorer.progress());
  json.field("depth", explorer.length()).key("estimate");
  constexpr double kMost = 1e18;
  if (const double explored = explorer.explored(); explored > 0)
    json.value(static_cast<std::uint64_t>(std::min(static_cast<double>(explorer.progress().runs) / explored, kMost)));
  else
    json.null();
  json.close('}').close('}');
  say(json.text());
}

void say_result(const Result& result) {
  CodePlaces modules;
  modules.collect();
  Json json;
  Writer writer(json, modules);
  json.open('{')
      .key("result")
      .open('{')
      .field("scenario", options.scenario)
      .field("ended", result.ended)
      .field("exhaustive", result.exhaustive);
  put_counts(json, result.progress);
  json.field("completed", result.completed).key("diverged_at");
  if (result.diverged_at == explore::Explorer::kNever)
    json.null();
  else
    json.value(result.diverged_at);
  json.field("reason", result.reason).key("qualified").open('[');
  for (const std::string& sentence : qualified) json.value(sentence);
  json.close(']');
  if (result.outcomes_asked) {
    json.key("outcomes").open('{');
    for (const auto& [text, count] : result.outcomes) json.field(text, count);
    json.close('}');
  }
  json.key("finding");
  if (result.finding)
    writer.put_finding(*result.finding);
  else
    json.null();
  json.key("races").open('[');
  for (const Finding& race : reported_races) writer.put_finding(race);
  json.close(']');
  if (operations.on()) put_results(json, operations);
  if (scheduler.trace.on()) put_trace(json, writer);
  json.key("modules").open('[');
  for (const CodePlaces::Module& module : modules.all())
    json.open('{').field("path", module.path).field("base", module.base).close('}');
  json.close(']').close('}').close('}');
  say(json.text());
}

}  // namespace linpoint::runtime
