"""Energies, which way is harder, and flows, how to move there."""

from evoreplay.evolution.energy import MemoryEnergy
from evoreplay.evolution.flow import Flow
from evoreplay.evolution.general_flow import GeneralFlow
from evoreplay.evolution.hamiltonian import Hamiltonian
from evoreplay.evolution.langevin import Langevin
from evoreplay.evolution.noise import Noise
from evoreplay.evolution.stein import Stein

__all__ = ["Flow", "GeneralFlow", "Hamiltonian", "Langevin", "MemoryEnergy", "Noise", "Stein"]
