"""Words to numbers, without a vocabulary.

A word's number is a hash of it, so there is nothing to fit, to download or to keep: a stream may
bring words that nobody has foreseen, and the same text gives the same numbers everywhere. The price
is that some words share a number.

Reference: Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", ICML 2009.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.int16]

TOKEN_IDS = 1 << 14
"""Numbers of tokens: 0 is padding, the rest are words."""
MOST_TOKENS = 64
"""Of a text; what is longer is cut."""
_WORD = re.compile(r"[\w']+|[^\w\s]")


def words(text: str) -> list[str]:
    """Words and punctuation marks, in lower case."""
    return _WORD.findall(text.lower())


@lru_cache(maxsize=1 << 18)
def token_id(word: str) -> int:
    """A number in 1 .. TOKEN_IDS - 1, the same on every machine."""
    digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
    return 1 + int.from_bytes(digest, "big") % (TOKEN_IDS - 1)


def tokenised(texts: Sequence[str], length: int) -> Tokens:
    """One row of `length` numbers for each text, padded with 0."""
    tokens = np.zeros((len(texts), length), np.int16)
    for row, text in zip(tokens, texts, strict=True):
        ids = [token_id(word) for word in words(text)[:length]]
        row[: len(ids)] = ids
    return tokens


def needed_length(texts: Sequence[str]) -> int:
    """Tokens of the longest text, at most MOST_TOKENS."""
    return min(MOST_TOKENS, max((len(words(text)) for text in texts), default=1))
