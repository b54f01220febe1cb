# SPDX-License-Identifier: Apache-2.0
"""C++ targets: finding the compiler, building the host that runs them and the targets themselves, and keeping both."""
