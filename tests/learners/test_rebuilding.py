import pytest
import torch

from evoreplay import Augmentation, Editing, GeneralFlow, Langevin, UserError
from evoreplay.learners.rebuilding import OUR_PARTS, described, rebuilt


def test_our_parts_come_back_from_plain_data():
    for part in (Langevin(rate=0.5, clamp=(-1.0, 1.0)), (Editing(reg=0.2), Augmentation()), None):
        assert rebuilt("role", described(part), {}) == part


def test_a_part_that_is_given_again_is_taken_and_one_of_ones_own_is_asked_for():
    own = GeneralFlow(diffusion=torch.eye(2))
    description = described(own)
    assert rebuilt("evolution", description, {"evolution": own}) is own
    with pytest.raises(UserError, match="pass it again"):
        rebuilt("evolution", description, {})


def test_only_our_own_names_can_be_made():
    assert "Langevin" in OUR_PARTS
    assert all(part.__module__.startswith("evoreplay.") for part in OUR_PARTS.values())
