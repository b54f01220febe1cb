// SPDX-License-Identifier: Apache-2.0
#include "host/crash/oracle_questions.hpp"

#include <unistd.h>

#include <iterator>

#include "host/protocol/message_writer.hpp"
#include "host/protocol/options.hpp"

namespace linpoint::runtime::crash {

namespace {

static_assert(std::size(kTestClasses) == kClasses);

template <typename Number>
void put_numbers(Json& json, const std::vector<Number>& numbers) {
  json.open('[');
  for (const Number number : numbers) json.value(number);
  json.close(']');
}

/// If there is no answer, the process that judges has ended: then there is no reader for results either.
char read_answer() {
  char answer = 0;
  if (::read(options.answers, &answer, 1) != 1) _exit(1);
  return answer;
}

}  // namespace

const char* name_of(Class kind) { return kTestClasses[static_cast<std::size_t>(kind)]; }

Hash Context::hash() const {
  Hash hash = hash_of(&completed, sizeof completed, 1);
  hash = hash_of(order.data(), order.size() * sizeof(unsigned), hash);
  hash = hash_of(open.data(), open.size() * sizeof(unsigned), hash);
  for (const auto& [number, result] : done) {
    hash = hash_of(&number, sizeof number, hash);
    hash = hash_of(result.data(), result.size(), hash);
  }
  return hash;
}

void Oracle::put(Json& json, Class kind, const Context& context, const Outcome& outcome) const {
  json.field(field::kClass, name_of(kind)).key(field::kPrefix);
  if (!context.order.empty()) {
    put_numbers(json, context.order);
    json.key(field::kPrefixResults).open('[');
    for (const std::string& result : context.order_results) json.open('[').raw(result).close(']');
    json.close(']');
  } else if (scenario_.in_order) {
    json.value(context.completed);
  } else {
    json.open('[');
    for (std::size_t each = 0; each < context.completed; ++each) json.value(scenario_.workload[each]);
    json.close(']');
  }
  json.key(field::kOpen);
  put_numbers(json, context.open);
  json.key(field::kDone).open('[');
  for (const auto& [number, result] : context.done) json.open('[').value(number).raw(result).close(']');
  json.close(']').field(field::kEnded, name_of(outcome.ended)).field(field::kMessage, outcome.message);
  json.key(field::kProbes).raw(text_of(context.probes));
  std::string text = "[";
  text.reserve(outcome.results.text.size() + 4 * context.probes.size() + 2);
  for (std::size_t each = 0; each < context.probes.size(); ++each) {
    text += each == 0 ? "[" : ",[";
    if (each < outcome.results.size()) text += outcome.results[each];
    text += ']';
  }
  json.key(field::kResults).raw(text += ']');
}

const std::string& Oracle::text_of(const std::vector<unsigned>& probes) const {
  if (probes != last_probes_) {
    Json json;
    put_numbers(json, probes);
    last_text_ = json.text();
    last_probes_ = probes;
  }
  return last_text_;
}

bool Oracle::is_expected(const Context& context, const Outcome& outcome) {
  const bool returned = context.open.empty();
  if (outcome.ended != Ended::kComplete || !context.order.empty() || !context.done.empty() || !scenario_.in_order)
    return false;
  // Numbers are places: it is the operation after those that have completed, and no other one.
  if (returned ? context.completed == 0 : context.open.size() != 1 || context.open[0] != context.completed)
    return false;
  const Results& results = outcome.results;
  return expected_results.allows(
      returned ? context.completed - 1 : context.completed, returned, context.probes,
      {{results.text.data(), results.text.size()}, results.ends.data(), results.ends.size()});
}

bool Oracle::allows(Class kind, const Context& context, const Outcome& outcome) {
  if (is_expected(context, outcome)) return true;
  Hash hash = context.hash();
  hash = hash_of(&outcome.ended, sizeof outcome.ended, hash);
  hash = hash_of(outcome.results.text.data(), outcome.results.text.size(), hash);
  hash = hash_of(outcome.results.ends.data(), outcome.results.ends.size() * sizeof(std::uint32_t), hash);
  bool known = false;
  std::uint8_t& answer = answers_.at(hash, known);
  if (known) return answer != 0;
  ++asked_;
  MessageWriter writer(message::kJudge);
  put(writer.json, kind, context, outcome);
  writer.send();
  answer = read_answer() == '+' ? 1 : 0;
  return answer != 0;
}

}  // namespace linpoint::runtime::crash
