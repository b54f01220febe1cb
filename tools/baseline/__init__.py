# SPDX-License-Identifier: Apache-2.0
"""A record of everything that linpoint prints for a fixed set of commands, to compare two versions of it."""
