# SPDX-License-Identifier: Apache-2.0
"""Coverage-guided fuzzing of every reader of untrusted text or bytes; ``tools/fuzz.py`` runs it (``make fuzz``)."""
