# SPDX-License-Identifier: Apache-2.0
"""The independent oracle of ``linpoint refine``: random small models, and a slow explorer that decides them by itself.

No module here imports the product (only :mod:`tests.refine.oracle.runs` makes histories for it), and no state is
reduced away. Models are data (:mod:`language`), printed as source for the product (:mod:`source_writer`) and run here
by semantics of their own (:mod:`flat_instructions`, :mod:`machine`). ``generation.random_model(seed)`` makes one,
``state_enumerator.explore`` decides it, ``progress.progress_of`` decides its progress properties.
"""
