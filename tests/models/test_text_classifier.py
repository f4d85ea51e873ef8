import math

import pytest
import torch

from evoreplay import UserError
from evoreplay.models import TextClassifier


def by_hand(model, tokens):
    """One text at a time, only its words, one pair of words at a time."""
    results = []
    for row in tokens:
        words = [model.embedding.weight[int(t)] for t in row if t != 0]
        weight, bias = model.attention.query_key_value.weight, model.attention.query_key_value.bias
        triples = [(weight @ w + bias).chunk(3) for w in words]
        mixed = []
        for word, (query, _, _) in zip(words, triples, strict=True):
            scores = torch.stack([query.dot(key) for _, key, _ in triples])
            shares = (scores / math.sqrt(len(word))).exp()
            shares = shares / shares.sum()
            seen = sum(s * value for s, (_, _, value) in zip(shares, triples, strict=True))
            mixed.append(model.attention.norm(word + seen))
        results.append(model.linear(torch.stack(mixed).mean(dim=0)))
    return torch.stack(results)


def test_it_is_attention_over_the_words_and_their_mean():
    torch.manual_seed(0)
    model = TextClassifier(40, 5, width=6).double()
    tokens = torch.tensor([[3, 8, 1, 0], [7, 0, 0, 0], [2, 39, 2, 5]], dtype=torch.int16)
    torch.testing.assert_close(model(tokens), by_hand(model, tokens))


def test_more_padding_changes_nothing():
    torch.manual_seed(0)
    model = TextClassifier(40, 5, width=6)
    tokens = torch.tensor([[3, 8, 1], [7, 0, 0]], dtype=torch.int32)
    longer = torch.nn.functional.pad(tokens, (0, 4))
    torch.testing.assert_close(model(longer), model(tokens))


def test_a_text_without_words_has_finite_logits_and_gradients():
    model = TextClassifier(40, 5, width=6)
    model(torch.zeros(2, 3, dtype=torch.int16)).sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


def test_padding_alone_is_no_vocabulary():
    with pytest.raises(UserError, match="give 2 or more"):
        TextClassifier(1, 5)
