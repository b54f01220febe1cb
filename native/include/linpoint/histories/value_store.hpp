// SPDX-License-Identifier: Apache-2.0
// The values of a text: numbers for values that are not lists, and lists as tokens.
#pragma once

#include <cstdint>

#include "linpoint/histories/integer_columns.hpp"
#include "linpoint/histories/interner.hpp"
#include "linpoint/histories/list_tokens.hpp"
#include "linpoint/histories/token.hpp"

namespace linpoint::histories {

struct ValueStore {
  /// The numbers of null, true and false.
  static constexpr std::int32_t kNull = 0;
  static constexpr std::int32_t kTrue = 1;
  static constexpr std::int32_t kFalse = 2;

  Interner values{3};
  ListTokens lists;

  /// The number of a value; for list i, `Lists::kFirst` - i.
  std::int32_t number(const Token& token) {
    switch (token.kind) {
      case Token::Kind::kTrue:
        return kTrue;
      case Token::Kind::kFalse:
        return kFalse;
      case Token::Kind::kInteger:
        return values.integer(token.integer);
      case Token::Kind::kString:
        return values.string(token.text);
      case Token::Kind::kJson:
      case Token::Kind::kFloat:
        return values.json(token.text);
      case Token::Kind::kList:
        return Lists::kFirst - static_cast<std::int32_t>(token.integer);
      case Token::Kind::kNumber:
        return static_cast<std::int32_t>(token.integer);
      default:
        return kNull;
    }
  }
};

}  // namespace linpoint::histories
