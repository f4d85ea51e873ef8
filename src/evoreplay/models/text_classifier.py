r"""A small classifier of texts.

Each token is a vector; one block of self-attention lets the words of a text look at each other,

    h = norm( e + A ),   A = softmax( Q K^T / sqrt(d) ) V,      Q, K, V linear in e,

and the classes are linear in the mean of h over the words. Padding (token 0) is neither looked at
nor averaged. The output of `embedding` is where a text can move: tokens cannot.

Reference: Vaswani et al., "Attention Is All You Need", 2017.
"""

from __future__ import annotations

import math

from torch import Tensor, nn

from evoreplay.errors import require

PADDING = 0
HIDDEN = -1e9
"""The score of what is not looked at."""


class Attention(nn.Module):
    """One head of self-attention over the words that are there, with a residual and a norm."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query_key_value = nn.Linear(width, 3 * width)
        self.norm = nn.LayerNorm(width)

    def forward(self, words: Tensor, there: Tensor) -> Tensor:
        """(N, L, width) and (N, L) to (N, L, width)."""
        query, key, value = self.query_key_value(words).chunk(3, dim=-1)
        scores = query @ key.mT / math.sqrt(words.shape[-1])
        scores = scores.masked_fill(~there.unsqueeze(1), HIDDEN)
        return self.norm(words + scores.softmax(dim=-1) @ value)  # type: ignore[no-any-return]


class MeanOverWords(nn.Module):
    """The mean of the vectors of the words that are there."""

    def forward(self, words: Tensor, there: Tensor) -> Tensor:
        """(N, L, width) and (N, L) to (N, width)."""
        weights = there.unsqueeze(-1).to(words.dtype)
        return (words * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


class TextClassifier(nn.Module):
    """Embedding, attention, mean over the words, one linear head over all classes."""

    def __init__(self, token_ids: int, classes: int, *, width: int = 64) -> None:
        super().__init__()
        require(token_ids >= 2, f"token_ids is {token_ids}; give 2 or more: padding and a word")
        self.embedding = nn.Embedding(token_ids, width, padding_idx=PADDING)
        self.attention = Attention(width)
        self.pooled = MeanOverWords()
        self.linear = nn.Linear(width, classes)

    def forward(self, tokens: Tensor) -> Tensor:
        """Batch of token numbers to logits."""
        there = tokens != PADDING
        words = self.embedding(tokens.int())
        logits: Tensor = self.linear(self.pooled(self.attention(words, there), there))
        return logits
