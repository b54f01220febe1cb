// SPDX-License-Identifier: Apache-2.0
// Functions that the model of PMDK does not cover: a test that calls one ends with its name, instead of in the real
// library.
#include "host/pmdk/pmdk.hpp"

namespace pmdk = linpoint::runtime::pmdk;

#define LINPOINT_NOT_MODELLED(name) \
  void name() { pmdk::not_modelled(#name); }

extern "C" {

LINPOINT_NOT_MODELLED(pmemobj_ctl_get)
LINPOINT_NOT_MODELLED(pmemobj_ctl_set)
LINPOINT_NOT_MODELLED(pmemobj_ctl_exec)
LINPOINT_NOT_MODELLED(pmemobj_defrag)
LINPOINT_NOT_MODELLED(pmemobj_volatile)
LINPOINT_NOT_MODELLED(pmemobj_set_funcs)
LINPOINT_NOT_MODELLED(pmemobj_set_user_data)
LINPOINT_NOT_MODELLED(pmemobj_get_user_data)
LINPOINT_NOT_MODELLED(pmemobj_tx_log_snapshots_max_size)
LINPOINT_NOT_MODELLED(pmemobj_tx_log_intents_max_size)

// From the debug version of the library.
void _pobj_debug_notice(const char* /*function*/, const char* /*file*/, int /*line*/) {}  // NOLINT
}
