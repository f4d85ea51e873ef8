"""A map of features in two dimensions, by t-SNE (van der Maaten and Hinton 2008)."""

from __future__ import annotations

import torch
from threadpoolctl import threadpool_limits
from torch import Tensor

ITERATIONS = 500
FEWEST = 5


def embedding(features: Tensor) -> Tensor:
    """A point for each row, the same at every call; all at the origin if there are too few.

    Started from the principal components, so that maps of similar features look alike.
    """
    points = torch.zeros(len(features), 2)
    varied = len(features.unique(dim=0)) >= FEWEST
    if not varied or not bool(torch.isfinite(features).all()):
        return points
    # scikit-learn takes a second to import: only runs that draw a map wait for it
    from sklearn.manifold import TSNE

    perplexity = min(30.0, (len(features) - 1) / 3)
    maker = TSNE(init="pca", perplexity=perplexity, max_iter=ITERATIONS, random_state=0)
    # sums over several threads may round differently
    with threadpool_limits(1):
        return torch.from_numpy(maker.fit_transform(features.float().numpy()))
