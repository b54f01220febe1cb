# SPDX-License-Identifier: Apache-2.0
"""Tests of objects: scenarios under every schedule, judged by a spec, with minimal findings."""
