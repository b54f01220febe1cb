# SPDX-License-Identifier: Apache-2.0
"""Claims of explanations: what each sentence says, and the predicates that are evaluated before it is printed."""
