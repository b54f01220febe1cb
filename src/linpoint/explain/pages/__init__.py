# SPDX-License-Identifier: Apache-2.0
"""Explanations as pages that are looked at in a browser: self-contained, and nothing in a history is markup."""
