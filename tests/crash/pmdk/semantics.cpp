// SPDX-License-Identifier: Apache-2.0
// A counter that returns the unexpected line of semantics.c: 0 for none.
//
// zoo: spec=counter sources=semantics.c flags=-lpmemobj
#include "semantics.h"

#include <linpoint/crash.hpp>

namespace {

class Semantics {
 public:
  static Semantics* create(linpoint::Pool& /*pool*/) { return new Semantics{semantics("semantics.pool")}; }
  static Semantics* recover(linpoint::Pool& /*pool*/) { return new Semantics{0}; }

  [[nodiscard]] int read() const { return wrong; }

  int wrong;
};

}  // namespace

LINPOINT_CRASH_TEST(Semantics, read)
