# SPDX-License-Identifier: Apache-2.0
"""Code that announces what it is about to touch, for interpreters whose frames cannot be looked into."""
