import torch

from evoreplay import GeneralFlow, Langevin, ReservoirMemory, UniformRetrieval
from evoreplay.evolution import MemoryEnergy
from evoreplay.parts import Energy, Evolution, Memory, Retrieval, settings_of


def test_our_parts_keep_the_protocols():
    assert isinstance(ReservoirMemory(3), Memory)
    assert isinstance(UniformRetrieval(3), Retrieval)
    assert isinstance(Langevin(), Evolution)
    assert isinstance(MemoryEnergy(), Energy)


def test_settings_are_constructor_arguments_and_state_is_not_among_them():
    assert settings_of(ReservoirMemory(3)) == {"capacity": 3}
    settings = settings_of(Langevin(rate=0.5, clamp=(-1.0, 1.0)))
    assert Langevin(**settings) == Langevin(rate=0.5, clamp=(-1.0, 1.0))


def test_what_is_not_plain_data_has_no_settings():
    assert settings_of(GeneralFlow(diffusion=torch.eye(2))) is None
    assert settings_of(object()) is None
