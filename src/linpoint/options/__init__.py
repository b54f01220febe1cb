# SPDX-License-Identifier: Apache-2.0
"""Every option of every command, declared once."""
