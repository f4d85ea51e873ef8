import copy

import pytest
import torch
from torch import nn

from evoreplay import Hamiltonian, Langevin, MemoryEnergy, ResNet18, Stein, UserError
from evoreplay.checks import same


def smooth_net(dropout=0.0):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 12), nn.Softplus(), nn.Dropout(dropout), nn.Linear(12, 4))
    return net.double()


@pytest.fixture
def batch():
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(5, 6, generator=generator, dtype=torch.float64)
    return x, torch.tensor([0, 1, 2, 3, 0])


def energy_of(model, x, x_raw, y, alignment, proximity):
    """U by its definition, example by example, with its own graph for the inner gradient."""
    names = list(model.parameters())
    reference = torch.autograd.grad(nn.functional.cross_entropy(model(x_raw), y), names)
    total = 0
    for i in range(len(x)):
        loss = nn.functional.cross_entropy(model(x[i : i + 1]), y[i : i + 1])
        gradient = torch.autograd.grad(loss, names, create_graph=True)
        dot = sum((g * r).sum() for g, r in zip(gradient, reference, strict=True))
        total = total - loss - alignment * dot + proximity * ((x[i] - x_raw[i]) ** 2).sum()
    return total


def numerical_gradient(function, x, step=1e-5):
    gradient = torch.zeros_like(x)
    for index in range(x.numel()):
        shift = torch.zeros_like(x).flatten()
        shift[index] = step
        shift = shift.reshape(x.shape)
        difference = function(x + shift) - function(x - shift)
        gradient.view(-1)[index] = float(difference.detach()) / (2 * step)
    return gradient


def test_the_exact_gradient_is_that_of_the_energy_written_out(batch):
    x_raw, y = batch
    model = smooth_net()
    x = x_raw + 0.1
    energy = MemoryEnergy(alignment=0.5, proximity=0.3, mode="exact")
    found = energy.bind(model, x_raw, y)(x)
    expected = numerical_gradient(lambda x: energy_of(model, x, x_raw, y, 0.5, 0.3), x)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)


def alignment_term(mode, alignment, batch):
    x, y = batch
    model = smooth_net()
    whole = MemoryEnergy(alignment=alignment, mode=mode).bind(model, x, y)(x)
    plain = MemoryEnergy(alignment=0).bind(model, x, y)(x)
    return (whole - plain) / alignment


def test_central_differences_agree_with_exact_to_second_order(batch):
    exact, central = (alignment_term(mode, 0.003, batch) for mode in ("exact", "central"))
    assert float((central - exact).norm() / exact.norm()) < 1e-4


def test_the_fused_error_is_of_first_order_in_the_weight(batch):
    errors = []
    for weight in (0.0005, 0.001, 0.002):
        exact, fused = (alignment_term(mode, weight, batch) for mode in ("exact", "fused"))
        errors.append(float((fused - exact).norm() / exact.norm()))
    assert errors[2] < 0.01
    assert 1.8 < errors[1] / errors[0] < 2.2
    assert 1.8 < errors[2] / errors[1] < 2.2


def test_a_particles_gradient_does_not_depend_on_how_many_there_are(batch):
    x, y = batch
    model = smooth_net()
    energy = MemoryEnergy(alignment=0)
    together = energy.bind(model, x, y)(x)
    alone = torch.cat(
        [energy.bind(model, x[i : i + 1], y[i : i + 1])(x[i : i + 1]) for i in range(5)]
    )
    torch.testing.assert_close(together, alone)


def test_a_reference_gradient_that_is_given_is_used(batch):
    x, y = batch
    model = smooth_net()
    zero = {name: torch.zeros_like(p) for name, p in model.named_parameters()}
    for mode in ("fused", "central", "exact"):
        energy = MemoryEnergy(alignment=0.003, mode=mode)
        found = energy.bind(model, x, y, reference_gradient=zero)(x)
        torch.testing.assert_close(found, MemoryEnergy(alignment=0).bind(model, x, y)(x))


@pytest.mark.parametrize("mode", ["fused", "central", "exact"])
@pytest.mark.parametrize("training", [True, False])
def test_evolution_changes_nothing_in_a_model_with_batchnorm_and_dropout(mode, training):
    torch.manual_seed(0)
    model = ResNet18(10)
    model.linear = nn.Sequential(nn.Dropout(0.5), model.linear)
    model.train(training)
    model.bn1.eval()
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    model.conv1.weight.requires_grad_(False)
    x, y = torch.randn(4, 3, 32, 32), torch.tensor([0, 1, 2, 3])
    state = copy.deepcopy(model.state_dict())
    modes = [m.training for m in model.modules()]
    tracking = [getattr(m, "track_running_stats", None) for m in model.modules()]
    random_state = torch.get_rng_state()
    field = MemoryEnergy(mode=mode).bind(model, x, y)
    Langevin(steps=2).evolve(x, field, generator=torch.Generator())
    assert same(state, model.state_dict())
    assert modes == [m.training for m in model.modules()]
    assert tracking == [getattr(m, "track_running_stats", None) for m in model.modules()]
    assert torch.equal(random_state, torch.get_rng_state())
    assert all(torch.equal(p.grad, torch.ones_like(p)) for p in model.parameters())
    assert not model.conv1.weight.requires_grad
    assert model.linear[1].weight.requires_grad


def test_batchnorm_uses_the_statistics_of_the_batch_whatever_the_mode():
    torch.manual_seed(0)
    model = ResNet18(10)
    x, y = torch.randn(4, 3, 32, 32), torch.tensor([0, 1, 2, 3])
    energy = MemoryEnergy(alignment=0)
    trained = energy.bind(model.train(), x, y)(x)
    evaluated = energy.bind(model.eval(), x, y)(x)
    torch.testing.assert_close(trained, evaluated)


@pytest.mark.parametrize(
    "flow",
    [
        Langevin(steps=3, rate=0.05, temperature=0),
        Stein(steps=3, rate=0.05, temperature=0),
        Hamiltonian(steps=3, rate=0.05, temperature=0),
    ],
    ids=lambda flow: type(flow).__name__,
)
@pytest.mark.parametrize("mode", ["fused", "central", "exact"])
def test_every_flow_raises_the_loss_of_the_memory_on_a_trained_network(flow, mode):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
    x, y = torch.randn(60, 8), torch.arange(60) % 3
    x = x + 2 * nn.functional.one_hot(y, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    for _ in range(60):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    memory, labels = x[:10], y[:10]
    field = MemoryEnergy(mode=mode).bind(model, memory, labels)
    evolved = flow.evolve(memory, field, generator=torch.Generator())
    before, after = (
        nn.functional.cross_entropy(model(z), labels, reduction="none").detach()
        for z in (memory, evolved)
    )
    assert float(after.mean()) > float(before.mean())
    if not isinstance(flow, Stein):
        assert bool((after > before).all())


def test_a_large_weight_warns_in_fused_mode_only():
    with pytest.warns(UserWarning, match="use mode='central'"):
        MemoryEnergy(alignment=0.03)
    MemoryEnergy(alignment=0.03, mode="central")


@pytest.mark.parametrize("options", [{"alignment": -1.0}, {"proximity": -0.1}, {"mode": "best"}])
def test_bad_options_are_refused(options):
    with pytest.raises(UserError):
        MemoryEnergy(**options)


@pytest.mark.parametrize("mode", ["fused", "central", "exact"])
def test_gradients_of_parameters_that_a_head_does_not_have_are_passed_over(mode):
    torch.manual_seed(0)
    below, head = nn.Linear(3, 4).double(), nn.Linear(4, 2).double()
    z, y = torch.randn(5, 4, dtype=torch.float64), torch.tensor([0, 1, 0, 1, 0])
    own = {name: torch.randn_like(p) for name, p in head.named_parameters()}
    foreign = {f"below.{name}": torch.randn_like(p) for name, p in below.named_parameters()}
    energy = MemoryEnergy(alignment=0.01, mode=mode)
    fields = [
        energy.bind(head, z, y, reference_gradient=gradient) for gradient in (own, own | foreign)
    ]
    torch.testing.assert_close(fields[0](z), fields[1](z), rtol=0, atol=0)


@pytest.mark.parametrize("mode", ["fused", "central", "exact"])
def test_a_head_without_parameters_feels_its_loss_alone(mode):
    z, y = torch.randn(5, 3), torch.tensor([0, 1, 2, 1, 0])
    aligned = MemoryEnergy(alignment=0.003, mode=mode).bind(nn.Identity(), z, y)(z)
    plain = MemoryEnergy(alignment=0.0).bind(nn.Identity(), z, y)(z)
    assert torch.equal(aligned, plain)
