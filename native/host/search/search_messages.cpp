// SPDX-License-Identifier: Apache-2.0
#include "host/search/search_messages.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "host/base/code_modules.hpp"
#include "host/base/result_qualifications.hpp"
#include "host/core/memory_accesses.hpp"
#include "host/core/operation_log.hpp"
#include "host/protocol/message_writer.hpp"
#include "host/protocol/options.hpp"
#include "host/search/real_time_orders.hpp"

namespace linpoint::runtime {

namespace {

static_assert(std::size(kFaults) == static_cast<std::size_t>(Fault::kNondeterminism) + 1);
static_assert(std::size(kStepKinds) == static_cast<std::size_t>(Kind::kReturn) + 1);

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

  /// The location of data: in a global variable of a module, or a plain address.
  void put_address(std::uint64_t address) {
    const std::size_t module = modules_.of(address);
    if (module == CodePlaces::kNone) {
      json_.field(field::kAddress, address);
      return;
    }
    json_.field(field::kAddress, address - modules_.all()[module].base).field(field::kSymbolModule, module);
  }

  void put_step(const TraceStep& step) {
    json_.open('{')
        .field(field::kThread, step.thread)
        .field(field::kKind, kStepKinds[static_cast<std::size_t>(step.kind)]);
    if (step.address != 0) put_address(step.address);
    if (step.has_block) {
      json_.key(field::kBlock)
          .open('[')
          .value(step.block.number)
          .value(step.block.offset)
          .value(step.block.size)
          .close(']');
    }
    if (step.size != 0) json_.field(field::kSize, step.size);
    put_bytes(field::kValue, step.has_value, step.value, step.size);
    put_bytes(field::kOld, step.has_old, step.old, step.size);
    put_bytes(field::kExpected, step.has_expected, step.expected, step.size);
    if (step.success >= 0) json_.field(field::kSuccess, step.success != 0);
    if (step.order >= 0)
      json_.field(field::kOrder,
                  kAccessOrders[std::min(static_cast<std::size_t>(step.order), std::size(kAccessOrders) - 1)]);
    if (step.forwarded) json_.field(field::kForwarded, true);
    if (step.other != kNoThread) json_.field(field::kOther, step.other);
    if (!step.message.empty()) json_.field(field::kMessage, step.message);
    put_place(step);
    put_buffer(step);
    if (step.preempts) json_.field(field::kPreempts, true);
    json_.close('}');
  }

  void put_finding(const Finding& finding) {
    json_.open('{').field(field::kKind, fault_name(finding.fault)).field(field::kMessage, finding.message);
    json_.key(field::kPlaces).open('[');
    for (const void* place : finding.places) json_.value(reinterpret_cast<std::uint64_t>(place));
    json_.close(']');
    put_schedule(json_, finding.schedule);
    json_.field(field::kPreemptions, finding.preemptions).field(field::kPrinted, finding.printed);
    if (finding.address != 0) put_address(finding.address);
    json_.key(field::kStepsOf).open('[');
    for (const std::uint32_t step : finding.steps_of) json_.value(step);
    json_.close(']').close('}');
  }

 private:
  void put_bytes(Name name, bool there, const Bytes& bytes, std::size_t size) {
    if (!there) return;
    json_.key(name);
    put_value(json_, bytes, size);
  }

  void put_place(const TraceStep& step) {
    if (step.caller == nullptr) return;
    const auto number = reinterpret_cast<std::uint64_t>(step.caller);
    const std::size_t module = modules_.of(number);
    if (module == CodePlaces::kNone)
      json_.field(field::kPc, number);
    else
      json_.field(field::kPc, number - modules_.all()[module].base).field(field::kModule, module);
    json_.key(field::kStack).open('[');
    for (const void* each : step.stack) json_.value(reinterpret_cast<std::uint64_t>(each));
    json_.close(']');
  }

  void put_buffer(const TraceStep& step) {
    if (step.buffer.empty()) return;
    json_.key(field::kBuffer).open('[');
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
  json.field(field::kSchedules, progress.runs)
      .field(field::kRedundant, progress.redundant)
      .field(field::kCut, progress.cut);
  json.field(field::kSteps, progress.steps);
}

void put_trace(Json& json, Writer& writer) {
  json.key(field::kTrace).open('{').key(field::kThreads).open('[');
  for (Thread thread = 0; thread < scheduler.threads(); ++thread) {
    const std::string name = thread == 0 ? "main" : "T" + std::to_string(thread);
    json.open('{').field(field::kId, thread).field(field::kName, name).close('}');
  }
  json.close(']').key(field::kSteps).open('[');
  for (const TraceStep& step : scheduler.trace.steps()) writer.put_step(step);
  json.close(']').close('}');
}

}  // namespace

const char* fault_name(Fault fault) { return kFaults[static_cast<std::size_t>(fault)]; }

void put_schedule(Json& json, const std::vector<explore::Deviation>& schedule) {
  json.key(field::kSchedule).open('[');
  for (const explore::Deviation& deviation : schedule)
    json.open('[').value(deviation.step).value(deviation.process).close(']');
  json.close(']');
}

void send_progress(const explore::Explorer& explorer) {
  MessageWriter writer(message::kProgress);
  Json& json = writer.json;
  json.field(field::kScenario, options.scenario);
  put_counts(json, explorer.progress());
  json.field(field::kDepth, explorer.length()).key(field::kEstimate);
  constexpr double kMost = 1e18;
  if (const double explored = explorer.explored(); explored > 0)
    json.value(static_cast<std::uint64_t>(std::min(static_cast<double>(explorer.progress().runs) / explored, kMost)));
  else
    json.null();
  writer.send();
}

void send_result(const SearchResult& result) {
  CodePlaces modules;
  modules.collect();
  MessageWriter message(message::kResult);
  Json& json = message.json;
  Writer writer(json, modules);
  json.field(field::kScenario, options.scenario)
      .field(field::kEnded, result.ended)
      .field(field::kExhaustive, result.exhaustive);
  put_counts(json, result.progress);
  json.field(field::kCompleted, result.completed).key(field::kDivergedAt);
  if (result.diverged_at == explore::Explorer::kNever)
    json.null();
  else
    json.value(result.diverged_at);
  json.field(field::kReason, result.reason).key(field::kQualified).open('[');
  for (const std::string& sentence : qualified) json.value(sentence);
  json.close(']');
  if (result.outcomes_asked) {
    json.key(field::kOutcomes).open('{');
    for (const auto& [text, count] : result.outcomes) json.entry(text).value(count);
    json.close('}');
  }
  json.key(field::kFinding);
  if (result.finding)
    writer.put_finding(*result.finding);
  else
    json.null();
  json.key(field::kRaces).open('[');
  for (const Finding& race : reported_races) writer.put_finding(race);
  json.close(']');
  if (operations.on()) put_results(json, operations);
  if (scheduler.trace.on()) put_trace(json, writer);
  json.key(field::kModules).open('[');
  for (const CodePlaces::Module& module : modules.all())
    json.open('{').field(field::kPath, module.path).field(field::kBase, module.base).close('}');
  json.close(']');
  message.send();
}

void library::end_refused(std::string_view reason) {
  SearchResult result;
  result.ended = "refused";
  result.reason = std::string(reason);
  send_result(result);
  _exit(0);
}

}  // namespace linpoint::runtime
