# SPDX-License-Identifier: Apache-2.0
"""Tests of models, checked in every reachable state."""
