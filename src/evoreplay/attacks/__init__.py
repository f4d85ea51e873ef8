"""Attacks on classifiers of images in [0, 1]: how little has to change to fool them."""

from evoreplay.attacks.attack import Attack, Attacked
from evoreplay.attacks.carlini_wagner import CarliniWagner
from evoreplay.attacks.pixel_space import InPixelSpace
from evoreplay.attacks.projected_gradient import ProjectedGradient
from evoreplay.attacks.random_search import RandomSearch

__all__ = [
    "Attack",
    "Attacked",
    "CarliniWagner",
    "InPixelSpace",
    "ProjectedGradient",
    "RandomSearch",
]
