// SPDX-License-Identifier: Apache-2.0
#include "histories/event_values.hpp"

#include <algorithm>
#include <utility>

namespace linpoint::histories {

namespace {

constexpr std::pair<std::string_view, ValueUse> kUses[] = {
    {"read", ValueUse::kAnswer},
    {"get", ValueUse::kAnswer},
    {"dequeue", ValueUse::kAnswer},
    {"deq", ValueUse::kAnswer},
    {"peek", ValueUse::kAnswer},
    {"pop", ValueUse::kAnswer},
    {"pop-front", ValueUse::kAnswer},
    {"pop-back", ValueUse::kAnswer},
    {"delete-max", ValueUse::kAnswer},
    {"acquire", ValueUse::kSilent},
    {"release", ValueUse::kSilent},
    {"increment", ValueUse::kSilent},
    {"decrement", ValueUse::kSilent},
    {"acquire-read", ValueUse::kSilent},
    {"release-read", ValueUse::kSilent},
    {"acquire-write", ValueUse::kSilent},
    {"release-write", ValueUse::kSilent},
    {"try-acquire", ValueUse::kTry},
    {"write", ValueUse::kWrite},
    {"put", ValueUse::kWrite},
    {"append", ValueUse::kWrite},
    {"enqueue", ValueUse::kWrite},
    {"push", ValueUse::kWrite},
    {"push-front", ValueUse::kWrite},
    {"push-back", ValueUse::kWrite},
    {"mwwrite", ValueUse::kWrite},
    {"insert", ValueUse::kChange},
    {"add", ValueUse::kChange},
    {"delete", ValueUse::kChange},
    {"erase", ValueUse::kChange},
    {"remove", ValueUse::kChange},
    {"swap", ValueUse::kQuery},
    {"fetch-add", ValueUse::kQuery},
    {"contains", ValueUse::kQuery},
    {"count", ValueUse::kQuery},
    {"txn", ValueUse::kQuery},
    {"mwcas", ValueUse::kQuery},
    {"mwswap", ValueUse::kQuery},
    {"cas", ValueUse::kCas},
};

}  // namespace

NameMeaning::NameMeaning(std::string_view name) : plain(name) {
  std::ranges::replace(plain, '_', '-');
  for (const auto& [listed, listed_use] : kUses)
    if (plain == listed) use = listed_use;
  is_read = plain == "read";
  may_drop_value = use == ValueUse::kChange || plain == "contains";
  has_words = plain == "mwcas" || plain == "mwswap" || plain == "mwwrite";
}

}  // namespace linpoint::histories
