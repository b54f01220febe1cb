# SPDX-License-Identifier: Apache-2.0
"""The targets of commands: modules that load or build them, run their campaigns or replay findings, and report."""
