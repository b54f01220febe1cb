# SPDX-License-Identifier: Apache-2.0
"""Recording what objects do on real threads."""
