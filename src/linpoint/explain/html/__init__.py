# SPDX-License-Identifier: Apache-2.0
"""An explanation as one HTML page that needs nothing else: no network, no other file."""
