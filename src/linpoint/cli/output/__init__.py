# SPDX-License-Identifier: Apache-2.0
"""How commands write their answers: formats, files, the terminal."""
