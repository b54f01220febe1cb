# SPDX-License-Identifier: Apache-2.0
"""Claims of explanations: the statement of each sentence, and the predicate that is evaluated before it is printed."""
