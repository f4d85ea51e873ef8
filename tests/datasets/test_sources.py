import re

import pytest

from evoreplay.datasets.catalogue import KNOWN
from evoreplay.datasets.sources import OFFICIAL_CHECKSUMS, SOURCES, Archive, NpmPackage, PlainFiles


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_has_checksums_and_belongs_to_a_known_dataset(name):
    assert name in KNOWN
    checksums = list(OFFICIAL_CHECKSUMS[name].values())
    for source in SOURCES[name]:
        if isinstance(source, Archive):
            checksums.append(source.file.sha256)
            assert set(source.members.values()) == set(OFFICIAL_CHECKSUMS[name])
        elif isinstance(source, PlainFiles):
            assert {file.name for file in source.files} == set(OFFICIAL_CHECKSUMS[name])
            checksums += [file.sha256 for file in source.files]
        else:
            assert isinstance(source, NpmPackage)
            checksums += [source.sha256, *source.converted.values()]
    assert all(re.fullmatch("[0-9a-f]{64}", checksum) for checksum in checksums)


def test_mini_imagenet_is_not_passed_on():
    assert "mini-imagenet" not in SOURCES
