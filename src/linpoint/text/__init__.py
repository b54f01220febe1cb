# SPDX-License-Identifier: Apache-2.0
"""How text is made safe and fitted to a terminal."""
