// SPDX-License-Identifier: Apache-2.0
// The place in the program that called the function in which this macro is used.
#pragma once

#define LINPOINT_CALLER __builtin_return_address(0)  // NOLINT(cppcoreguidelines-macro-usage): of the enclosing function
