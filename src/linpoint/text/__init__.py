# SPDX-License-Identifier: Apache-2.0
"""Making text safe and fitting it to a terminal."""
