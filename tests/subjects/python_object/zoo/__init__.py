# SPDX-License-Identifier: Apache-2.0
"""The discovery zoo: small classes as people write them, each with a known concurrency bug and a correct twin."""
