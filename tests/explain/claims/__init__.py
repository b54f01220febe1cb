# SPDX-License-Identifier: Apache-2.0
"""Every claim of an explanation is evaluated again by code that shares nothing with the predicates."""
