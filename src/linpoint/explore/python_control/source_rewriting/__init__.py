# SPDX-License-Identifier: Apache-2.0
"""Rewrites code so that it announces its accesses, for interpreters whose frames cannot be inspected."""
