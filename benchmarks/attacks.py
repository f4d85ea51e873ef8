"""CPU time of the attacks beside foolbox's: one thread, interleaved in one process, as ratios.

python benchmarks/attacks.py

Every example is classified rightly at the start, because its label is what the network says. In the
rows "nobody falls" the radius is too small for any success, so that nothing is gained by stopping.
Fails if a median ratio is above 1.
"""

import sys
import warnings

import torch

from evoreplay.attacks import CarliniWagner, InPixelSpace, ProjectedGradient
from evoreplay.benchmarks.timing import interleaved, ratio
from evoreplay.models import MLP, ResNet18, in_channels_last

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import foolbox

ROUNDS = 5

torch.set_num_threads(1)
torch.manual_seed(0)
networks = {
    "mlp, 200 images of 8x8": (MLP(64, 10), torch.rand(200, 1, 8, 8)),
    "resnet18, 20 images of 32x32": (in_channels_last(ResNet18(10)), torch.rand(20, 3, 32, 32)),
}
slowest = 0.0
for name, (network, x) in networks.items():
    net = InPixelSpace(network).eval()
    with torch.no_grad():
        y = net(x).argmax(1)
    target = foolbox.PyTorchModel(net, bounds=(0, 1), device="cpu")
    for what, eps in (("pgd at 4/255", 4 / 255), ("pgd, nobody falls", 1e-7)):
        ours = ProjectedGradient(eps=eps)
        theirs = foolbox.attacks.LinfProjectedGradientDescentAttack(abs_stepsize=2 / 255, steps=20)
        times = interleaved(
            {
                "evoreplay": lambda: ours.attack(
                    net, x, y, generator=torch.Generator().manual_seed(0)
                ),
                "foolbox": lambda: theirs(target, x, y, epsilons=eps),
            },
            rounds=ROUNDS,
            warm_up=1,
        )
        found = ratio(times, "evoreplay", "foolbox")
        slowest = max(slowest, found.median)
        print(f"{name}, {what}: {found.median:.2f} ({found.low:.2f} to {found.high:.2f})")
    search = CarliniWagner()
    same = foolbox.attacks.L2CarliniWagnerAttack(
        binary_search_steps=1, steps=50, stepsize=0.01, initial_const=1.0, abort_early=False
    )
    times = interleaved(
        {
            "evoreplay": lambda: search.attack(net, x, y),
            "foolbox": lambda: same(target, x, y, epsilons=None),
        },
        rounds=ROUNDS,
        warm_up=1,
    )
    found = ratio(times, "evoreplay", "foolbox")
    slowest = max(slowest, found.median)
    print(f"{name}, c&w quick: {found.median:.2f} ({found.low:.2f} to {found.high:.2f})")
sys.exit(int(slowest > 1))
