# SPDX-License-Identifier: Apache-2.0
"""Whole C++ programs under every interleaving: the host runs them, and here is what to ask of it and how to tell it."""
