# SPDX-License-Identifier: Apache-2.0
"""Classes of published packages, tested as a user would; docs/explanation/published-packages.md tells what was found.

The versions are pinned in the dependency group ``packages``. A finding is asserted for what it is: when a package changes,
its test fails and the page wants a new paragraph.
"""
