# SPDX-License-Identifier: Apache-2.0
"""Persistent memory: does a structure survive a crash at any moment, with every operation done wholly or not at all?"""
