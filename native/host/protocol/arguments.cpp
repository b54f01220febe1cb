// SPDX-License-Identifier: Apache-2.0
#include "host/protocol/arguments.hpp"

#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "host/protocol/command_line_text.hpp"
#include "host/protocol/options.hpp"

namespace linpoint::runtime {

Options options;

namespace {

bool is_flag(std::string_view name) {
  return visit_option(name, options,
                      [](auto& member) { return std::is_same_v<std::remove_reference_t<decltype(member)>, bool>; });
}

bool read_value(std::string_view /*text*/, bool& flag) {
  flag = true;
  return true;
}

bool read_value(std::string_view text, std::string& value) {
  value = text;
  return !text.empty();
}

template <typename Value>
bool read_value(std::string_view text, Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    for (const Word<Value>& each : kWords<Value>)
      if (each.word == text) {
        value = each.value;
        return true;
      }
    return false;
  } else {
    return read_number(text, value);
  }
}

template <typename Value>
bool read_value(std::string_view text, std::optional<Value>& value) {
  return read_value(text, value.emplace());
}

/// False if the value is invalid or the option is unknown.
bool read_option(std::string_view name, std::string_view text) {
  return visit_option(name, options, [text](auto& member) { return read_value(text, member); });
}

/// "1/4": the second of four.
bool read_shard(std::string_view text) {
  return read_number(cut(text, '/'), options.shard_index) && read_number(text, options.shard_count) &&
         options.shard_index < options.shard_count;
}

}  // namespace

std::string refused_value(std::string_view name, std::string_view value) {
  return std::string(name) + " cannot be \"" + std::string(value) + "\", or is not known";
}

std::string read_arguments(int argc, char** argv) {
  int at = 1;
  for (; at < argc && std::strcmp(argv[at], "--") != 0; ++at) {
    const std::string name = argv[at];
    if (!name.starts_with("--")) {
      if (!options.target.empty()) return "there is one target, but \"" + name + "\" is another";
      options.target = name;
      continue;
    }
    const bool flag = is_flag(name);
    if (!flag && at + 1 == argc) return name + " needs a value, or is not known";
    if (!flag) ++at;
    if (!read_option(name, argv[at])) return refused_value(name, argv[at]);
  }
  if (!read_shard(options.shard)) return refused_value("--shard", options.shard);
  if (options.every == 0) return refused_value("--every", "0");
  if (options.target.empty()) return "there is no target";
  static std::vector<char*> arguments{options.target.data()};
  for (++at; at < argc; ++at) arguments.push_back(argv[at]);
  options.argc = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  options.argv = arguments.data();
  return "";
}

}  // namespace linpoint::runtime
