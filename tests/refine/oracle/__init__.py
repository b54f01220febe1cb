# SPDX-License-Identifier: Apache-2.0
"""The other side of ``linpoint refine``: random small models, and a slow explorer that decides them by itself.

Nothing here imports the product (only :mod:`tests.refine.oracle.runs` makes histories for it), and nothing is reduced.
Models are data (:mod:`language`), printed as source for the product (:mod:`printing`) and run here by semantics of
their own (:mod:`flattening`, :mod:`machine`). ``generation.random_model(seed)`` makes one, ``exploring.explore`` decides
it, ``progress.progress_of`` tells whether it gets on.
"""
