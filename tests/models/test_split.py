import pytest
import torch
from torch import nn
from torch.nn.functional import dropout, relu

from evoreplay import Split, UserError, split_at
from evoreplay.models import MLP, ResNet18, TextClassifier
from evoreplay.models.split import renamed, shifted


def resnet():
    torch.manual_seed(0)
    return ResNet18(10, width=4)


def text_model():
    torch.manual_seed(0)
    return TextClassifier(50, 7, width=8)


def texts():
    x = torch.randint(1, 50, (5, 9), generator=torch.Generator().manual_seed(1)).short()
    x[1, 4:], x[3, 1:] = 0, 0
    return x


RESNET_LAYERS = [
    *("conv1", "bn1", "linear"),
    *(f"layer{n}" for n in (1, 2, 3, 4)),
    *(f"layer{n}.{block}" for n in (1, 2, 3, 4) for block in (0, 1)),
]


@pytest.mark.parametrize("mode", ["train", "eval"])
@pytest.mark.parametrize("layer", RESNET_LAYERS)
def test_head_of_lift_is_the_resnet_at_every_split(layer, mode):
    model, x = resnet(), torch.randn(3, 3, 32, 32)
    split = split_at(model, layer)
    getattr(model, mode)()
    with torch.no_grad():
        assert torch.equal(split.head(split.lift(x)), model(x))
    assert not split.beside


@pytest.mark.parametrize("layer", ["embedding", "attention", "attention.norm", "pooled", "linear"])
def test_head_of_lift_is_the_text_model_at_every_split(layer):
    model, x = text_model(), texts()
    split = split_at(model, layer)
    assert torch.equal(split.logits(x), model(x))


def test_z_is_the_output_of_the_layer():
    model, x = resnet().eval(), torch.randn(2, 3, 32, 32)
    seen = []
    model.layer3.register_forward_hook(lambda module, given, output: seen.append(output))
    model(x)
    assert torch.equal(split_at(model, "layer3").lift(x), seen[0])


def test_the_parts_use_the_layers_of_the_model_and_train_with_it():
    model, x = resnet(), torch.randn(2, 3, 32, 32)
    split = split_at(model, "layer2")
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.5)
    model.load_state_dict({name: 0.9 * v for name, v in model.state_dict().items()})
    model.eval()
    assert torch.equal(split.logits(x), model(x))
    own = {id(p) for part in (split.lift, split.head) for p in part.parameters()}
    assert own == {id(p) for p in model.parameters()}


def test_padding_is_neither_seen_nor_moved_by_what_happens_to_it():
    model, x = text_model(), texts()
    split = split_at(model, "embedding")
    z = split.lift(x)
    moved = torch.where((x == 0).unsqueeze(-1), z + 100, z)
    torch.testing.assert_close(split.head_of(x)(moved), model(x))
    assert not torch.allclose(split.head_of(x)(z + 1), model(x))


@pytest.mark.parametrize(
    "layer", ["layer3.1.conv1", "layer3.1.bn2", "layer2.0.shortcut", "layer1.0.conv2"]
)
def test_a_split_inside_a_residual_block_is_refused_with_what_goes_round_it(layer):
    with pytest.raises(UserError, match=r"inside a residual connection: .* goes round it"):
        split_at(resnet(), layer)


def test_a_residual_of_the_input_itself_is_found_when_the_input_is_seen():
    class Skip(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.outer = nn.Linear(4, 4), nn.Linear(4, 3)

        def forward(self, x):
            return self.outer(self.inner(x) + x)

    model = Skip()
    split = split_at(model, "inner")
    with pytest.raises(UserError, match="the input itself goes round it"):
        split.check(model, torch.randn(2, 4), training=True)


def test_an_unknown_layer_is_named_with_the_nearest():
    with pytest.raises(UserError, match=r"unknown layer 'layr3'; did you mean 'layer3'\?"):
        split_at(resnet(), "layr3")


def test_a_layer_used_twice_or_never_is_refused():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.spare = nn.Linear(3, 3), nn.Linear(3, 3)

        def forward(self, x):
            return self.inner(relu(self.inner(x)))

    with pytest.raises(UserError, match="used 2 times"):
        split_at(Twice(), "inner")
    with pytest.raises(UserError, match="used 0 times"):
        split_at(Twice(), "spare")


class Choosing(nn.Module):
    """A forward that depends on the values of its input: it cannot be followed without any."""

    def __init__(self):
        super().__init__()
        self.below, self.above = nn.Linear(3, 3), nn.Linear(3, 2)

    def forward(self, x):
        x = self.below(x)
        return self.above(x if x.sum() > 0 else -x)


def test_a_forward_that_cannot_be_followed_asks_for_a_split_of_ones_own():
    with pytest.raises(UserError, match=r"cannot be followed to 'below' .*Split\(lift=..., head="):
        split_at(Choosing(), "below")


def test_a_model_with_two_inputs_is_refused():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.below = nn.Linear(3, 3)

        def forward(self, x, y):
            return self.below(x) + y

    with pytest.raises(UserError, match="takes x, y; a model that is split takes one batch"):
        split_at(Two(), "below")


@pytest.mark.parametrize("training", [True, False])
def test_dropout_outside_a_layer_is_found_by_the_check(training):
    class Functional(nn.Module):
        def __init__(self):
            super().__init__()
            self.below, self.above = nn.Linear(3, 8), nn.Linear(8, 2)

        def forward(self, x):
            return self.above(dropout(self.below(x), 0.5, self.training))

    # the mode at the split is the one that a functional dropout keeps
    model = Functional().train(training)
    split = split_at(model, "below")
    model.train()
    with pytest.raises(UserError, match=r"is not model\(x\)"):
        split.check(model, torch.randn(4, 3), training=True)
    inside = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 2))
    split_at(inside, "0").check(inside, torch.randn(4, 3), training=True)


def test_the_check_leaves_the_model_and_the_random_state_alone():
    model, x = resnet(), torch.randn(2, 3, 32, 32)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    random_state = torch.get_rng_state()
    split_at(model, "layer3").check(model, x, training=True)
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert torch.equal(random_state, torch.get_rng_state())
    assert model.training


def test_a_split_of_ones_own_is_checked_too():
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    x = torch.randn(5, 3)
    Split(lift=model[:2], head=model[2]).check(model, x, training=True)
    with pytest.raises(UserError, match=r"is not model\(x\)"):
        Split(lift=model[:1], head=model[2]).check(model, x, training=True)


def test_a_layer_that_writes_in_place_works_on_a_copy():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(inplace=True), nn.Linear(4, 2))
    split = split_at(model, "0")
    z = split.lift(torch.randn(5, 3)).detach()
    before = z.clone()
    split.head(z.requires_grad_()).sum().backward()
    assert torch.equal(z.detach(), before)
    assert (before < 0).any()


def test_a_shift_is_added_in_the_type_of_z_and_must_fit():
    z = torch.ones(2, 3, dtype=torch.bfloat16)
    assert shifted(z, None) is z
    moved = shifted(z, torch.full((2, 3), 0.5))
    assert moved.dtype == torch.bfloat16
    assert moved.eq(1.5).all()
    with pytest.raises(UserError, match="belongs to the space it was written in"):
        shifted(z, torch.zeros(2, 1))


def test_values_find_their_names_in_a_part():
    model = MLP(6, 3, hidden=(4,))
    values = {name: torch.full_like(p, n) for n, (name, p) in enumerate(model.named_parameters())}
    split = Split(lift=model.hidden, head=model.head)
    assert set(renamed(values, model, split.head)) == {"weight", "bias"}
    assert torch.equal(renamed(values, model, split.head)["bias"], values["head.bias"])
    assert set(renamed(values, model, split_at(model, "hidden").head)) == {
        "head.weight",
        "head.bias",
    }
