# SPDX-License-Identifier: Apache-2.0
"""Coverage-guided fuzzing of everything that reads text or bytes of others; ``tools/fuzz.py`` runs it (``make fuzz``)."""
