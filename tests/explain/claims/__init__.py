# SPDX-License-Identifier: Apache-2.0
"""Code that shares nothing with the predicates evaluates every claim of an explanation again."""
