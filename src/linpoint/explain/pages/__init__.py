# SPDX-License-Identifier: Apache-2.0
"""HTML reports: self-contained pages, in which content of a history is never markup."""
