# SPDX-License-Identifier: Apache-2.0
"""Traces: the steps of one schedule."""
