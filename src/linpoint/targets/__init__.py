# SPDX-License-Identifier: Apache-2.0
"""C++ targets: finds the compiler, builds targets and the host that runs them, and caches both."""
