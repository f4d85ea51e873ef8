import torch

from evoreplay import MLP


def test_an_mlp_flattens_its_input_and_has_two_hidden_layers_of_200():
    model = MLP(64, 10)
    assert model(torch.zeros(3, 1, 8, 8)).shape == (3, 10)
    assert sum(p.numel() for p in model.parameters()) == 65 * 200 + 201 * 200 + 201 * 10
