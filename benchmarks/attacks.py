"""CPU time of the attacks beside foolbox's: one thread, interleaved in one process, as ratios.

python benchmarks/attacks.py

Every example is classified rightly at the start, because its label is what the network says. In the
row "nobody falls" the radius is too small for any success, so that nothing is gained by stopping.
Fails if a median ratio is above 1.
"""

import sys
import warnings

import torch
from torch import nn

from evoreplay.attacks import CarliniWagner, InPixelSpace, ProjectedGradient
from evoreplay.benchmarks.timing import Ratio, interleaved, ratio
from evoreplay.models import MLP, ResNet18, in_channels_last

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import foolbox

PGD = foolbox.attacks.LinfProjectedGradientDescentAttack(abs_stepsize=2 / 255, steps=20)
CARLINI_WAGNER = foolbox.attacks.L2CarliniWagnerAttack(
    binary_search_steps=1, steps=50, stepsize=0.01, initial_const=1.0, abort_early=False
)


def ratios(network: nn.Module, x: torch.Tensor, rounds: int) -> dict[str, Ratio]:
    """Of our time to foolbox's, by attack."""
    net = InPixelSpace(network).eval()
    with torch.no_grad():
        y = net(x).argmax(1)
    target = foolbox.PyTorchModel(net, bounds=(0, 1), device="cpu")
    generator = torch.Generator().manual_seed(0)

    def ours(attack: ProjectedGradient | CarliniWagner) -> None:
        attack.attack(net, x, y, generator=generator)

    times = interleaved(
        {
            "pgd at 4/255": lambda: ours(ProjectedGradient(eps=4 / 255)),
            "pgd at 4/255, foolbox": lambda: PGD(target, x, y, epsilons=4 / 255),
            "pgd, nobody falls": lambda: ours(ProjectedGradient(eps=1e-7)),
            "pgd, nobody falls, foolbox": lambda: PGD(target, x, y, epsilons=1e-7),
            "c&w quick": lambda: ours(CarliniWagner()),
            "c&w quick, foolbox": lambda: CARLINI_WAGNER(target, x, y, epsilons=None),
        },
        rounds=rounds,
        warm_up=1,
    )
    return {
        name: ratio(times, name, f"{name}, foolbox")
        for name in times
        if not name.endswith(", foolbox")
    }


torch.set_num_threads(1)
torch.manual_seed(0)
networks: dict[str, tuple[nn.Module, torch.Tensor, int]] = {
    "mlp, 200 images of 8x8": (MLP(64, 10), torch.rand(200, 1, 8, 8), 15),
    "resnet18, 10 images of 32x32": (
        in_channels_last(ResNet18(10)),
        torch.rand(10, 3, 32, 32),
        5,
    ),
}
slowest = 0.0
for name, (network, x, rounds) in networks.items():
    for what, found in ratios(network, x, rounds).items():
        slowest = max(slowest, found.median)
        print(f"{name}, {what}: {found.median:.2f} ({found.low:.2f} to {found.high:.2f})")
sys.exit(int(slowest > 1))
