from __future__ import annotations

import dataclasses
import hashlib
import http.server
import io
import os
import tarfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from evoreplay.datasets.sources import RemoteFile

REAL_DATA = os.environ.get("EVOREPLAY_DATA")


@pytest.fixture(autouse=True)
def own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing is read from or written to the folders of whoever runs the tests."""
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))
    monkeypatch.setenv("EVOREPLAY_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.delenv("EVOREPLAY_DATA", raising=False)


@pytest.fixture
def real_data(monkeypatch: pytest.MonkeyPatch) -> Path:
    if not REAL_DATA:
        pytest.skip("EVOREPLAY_DATA is not set: tests with real data are left out")
    monkeypatch.setenv("EVOREPLAY_DATA", REAL_DATA)
    return Path(REAL_DATA)


@pytest.fixture
def encoded() -> Callable[..., bytes]:
    def encode(level: int = 0, size: tuple[int, int] = (4, 4), mode: str = "RGB") -> bytes:
        buffer = io.BytesIO()
        Image.new(mode, size, level if mode == "L" else (level, 1, 2)).save(buffer, "PNG")
        return buffer.getvalue()

    return encode


@pytest.fixture
def write_parquet(encoded: Callable[..., bytes]) -> Callable[..., Path]:
    def write(
        file: Path,
        labels: Sequence[object],
        images: Sequence[bytes | None] | None = None,
        label: str = "label",
        image: str = "img",
    ) -> Path:
        images = [encoded(n % 256) for n in range(len(labels))] if images is None else images
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = [{"bytes": data, "path": None} for data in images]
        column = pa.array(rows, pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
        pq.write_table(pa.table({image: column, label: list(labels)}), file)
        return file

    return write


@pytest.fixture
def write_images(encoded: Callable[..., bytes]) -> Callable[..., Path]:
    def write(folder: Path, images: int = 2, **form: object) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(images):
            (folder / f"{number}.png").write_bytes(encoded(number, **form))
        return folder

    return write


@pytest.fixture
def cifar10_records() -> Callable[..., bytes]:
    def records(labels: Sequence[int], seed: int = 0) -> bytes:
        pixels = np.random.default_rng(seed).integers(0, 256, (len(labels), 3072), np.uint8)
        return np.column_stack([np.array(labels, np.uint8), pixels]).tobytes()

    return records


def everything_below(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


@pytest.fixture
def below() -> Callable[[Path], list[str]]:
    return everything_below


class Server:
    """A web server on this machine that can break off, ignore ranges, and remembers requests."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cut_after: list[int] = []
        """For each coming answer, after how many bytes it breaks off."""
        self.ranges = True
        self.requests: list[tuple[str, str | None]] = []
        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.base = f"http://127.0.0.1:{self._http.server_port}/"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def serve(self, name: str, data: bytes, **changes: object) -> RemoteFile:
        self.files[f"/{name}"] = data
        file = RemoteFile(self.base + name, hashlib.sha256(data).hexdigest(), len(data))
        return dataclasses.replace(file, **changes)

    def _handler(server) -> type[http.server.BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                wanted = self.headers.get("Range")
                server.requests.append((self.path, wanted))
                data = server.files.get(self.path)
                if data is None:
                    return self.send_error(404)
                start = int(wanted[6:-1]) if wanted and server.ranges else 0
                if start >= len(data):
                    return self.send_error(416)
                self.send_response(206 if start else 200)
                if start:
                    self.send_header("Content-Range", f"bytes {start}-{len(data)}/{len(data)}")
                self.send_header("Content-Length", str(len(data) - start))
                self.end_headers()
                end = start + server.cut_after.pop(0) if server.cut_after else len(data)
                self.wfile.write(data[start:end])
                return None

            def log_message(self, *_: object) -> None:
                pass

        return Handler


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def make_tar() -> Callable[..., bytes]:
    def make(files: dict[str, bytes], *odd: tarfile.TarInfo) -> bytes:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
            for name, data in files.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
            for entry in odd:
                tar.addfile(entry)
        return buffer.getvalue()

    return make
