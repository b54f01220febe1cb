# SPDX-License-Identifier: Apache-2.0
"""Read the Jepsen history with Python: a verdict for each key, and the operations behind the violation."""
# Run: python read_jepsen.py
# Exit code: 1

import sys

import linpoint

history = linpoint.load("jepsen_register.edn")
print(f"{len(history)} operations; faults: {', '.join(fault.text for fault in history.annotations)}")

verdict = linpoint.check(history, "cas-register", budget="30s")
for key in verdict.keys:
    print(f"key {key.key}: {key.status.value}")
    if key.witness is not None:
        print("  one order:", "; ".join(str(history[position]) for position in key.witness.order))

explanation = verdict.explain()
print(explanation.picture)
sys.exit(verdict.status is linpoint.Status.VIOLATION)
