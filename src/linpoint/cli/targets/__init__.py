# SPDX-License-Identifier: Apache-2.0
"""The targets of commands: found and built, their campaigns run or findings replayed, and what is reported of each."""
