"""Tests of the name that a kind of CPU has in results."""

import platform

import pytest
import torch

from evoreplay.running import cpu_kind as module
from evoreplay.running.cpu_kind import cpu_kind

TOLD = """processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 26
model\t\t: 2
model name\t: AMD EPYC
stepping\t: 1
cpu MHz\t\t: 2596.122

processor\t: 1
vendor_id\t: AuthenticAMD
cpu MHz\t\t: 3100.000
"""


@pytest.fixture
def told(tmp_path, monkeypatch):
    def tell(text):
        (tmp_path / "cpuinfo").write_text(text)

    monkeypatch.setattr(module, "CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")
    return tell


def test_a_kind_is_its_instructions_its_name_and_its_model(told):
    told(TOLD)
    assert cpu_kind() == "AVX512 AMD EPYC AuthenticAMD-26-2-1"


def test_two_models_of_one_name_and_one_set_of_instructions_are_two_kinds(told):
    told(TOLD)
    first = cpu_kind()
    told(TOLD.replace("model\t\t: 2", "model\t\t: 17"))
    assert cpu_kind() != first


def test_the_clock_of_the_moment_makes_no_other_kind(told):
    told(TOLD)
    first = cpu_kind()
    told(TOLD.replace("2596.122", "3700.001"))
    assert cpu_kind() == first


@pytest.mark.parametrize("text", [None, "", "processor : 0\nBogoMIPS : 50.00\n", "no colon"])
def test_where_linux_does_not_tell_the_platform_does(told, monkeypatch, text):
    if text is not None:
        told(text)
    monkeypatch.setattr(platform, "processor", lambda: "")
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    assert cpu_kind() == "AVX512 arm64"
