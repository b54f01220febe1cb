# SPDX-License-Identifier: Apache-2.0
"""Control of Python threads and coroutines."""
