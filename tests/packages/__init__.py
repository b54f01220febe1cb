# SPDX-License-Identifier: Apache-2.0
"""Classes of published packages, tested as a user would; docs/explanation/published-packages.md describes the findings.

The versions are pinned in the dependency group ``packages``. Each finding is asserted in detail: when a package
changes, its test fails and the page needs a new paragraph.
"""
