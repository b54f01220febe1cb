# SPDX-License-Identifier: Apache-2.0
"""Tests of Python objects: scenarios under every schedule, judged by a spec, with minimal findings."""
