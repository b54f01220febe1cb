# SPDX-License-Identifier: Apache-2.0
"""Public functions that run code: test an object, stress it, check a model."""
