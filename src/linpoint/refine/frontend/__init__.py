# SPDX-License-Identifier: Apache-2.0
"""The front end: compiles models in restricted Python from their source to ``program_ir.CompiledModel``."""

from linpoint.refine.frontend.compile_model import compile_model

__all__ = ["compile_model"]
