# SPDX-License-Identifier: Apache-2.0
"""The discovery zoo: small, realistic classes, each with a known concurrency bug and a correct twin."""
