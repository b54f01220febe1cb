# SPDX-License-Identifier: Apache-2.0
"""Words that all explanations share: operations, states, lanes and the timeline in text."""
