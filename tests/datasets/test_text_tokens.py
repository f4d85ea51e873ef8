import numpy as np
import pytest

from evoreplay.datasets.text_tokens import (
    MOST_TOKENS,
    TOKEN_IDS,
    needed_length,
    token_id,
    tokenised,
    words,
)


def test_words_are_lower_case_and_punctuation_counts():
    assert words("What's UP, doc?") == ["what's", "up", ",", "doc", "?"]
    assert words("  \n") == []


def test_tokens_are_the_same_on_every_machine_and_never_padding():
    assert (token_id("balance"), token_id("?")) == (14509, 7965)
    ids = np.array([token_id(f"word {n}") for n in range(20_000)])
    assert ids.min() >= 1
    assert ids.max() < TOKEN_IDS
    # as many different ones as throwing 20,000 balls into the slots fills
    slots = TOKEN_IDS - 1
    assert len(set(ids)) == pytest.approx(slots * (1 - np.exp(-20_000 / slots)), rel=0.02)


def test_a_text_is_cut_or_padded_to_one_length():
    rows = tokenised(["one two three", "one", ""], 2)
    one, two = token_id("one"), token_id("two")
    assert rows.tolist() == [[one, two], [one, 0], [0, 0]]
    assert rows.dtype == np.int16


def test_the_longest_text_decides_on_the_length_up_to_a_limit():
    assert needed_length(["a b", "a b c d", ""]) == 4
    assert needed_length(["a " * 500]) == MOST_TOKENS
    assert needed_length([]) == 1
