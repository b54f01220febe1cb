// SPDX-License-Identifier: Apache-2.0
#include <linpoint/test.hpp>

#include "lazy_list.hpp"
#include "set_test.hpp"
#include "twin.hpp"

using LazyListTest = TestOfSet<zoo::LazyList<int, zoo::kTwin<zoo::LazyFlaw>>>;
LINPOINT_TEST(LazyListTest, add, remove, contains)
