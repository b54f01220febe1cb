# SPDX-License-Identifier: Apache-2.0
"""Python threads and coroutines under control."""
