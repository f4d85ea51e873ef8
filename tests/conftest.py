import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Decoded data go to one folder of this test session, never to the user's cache."""
    monkeypatch.setenv("EVOREPLAY_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(autouse=True)
def maps_without_waiting(request, monkeypatch):
    """t-SNE is most of a small run; the tests of the map itself, and other processes, have it."""
    if "test_snapshots" not in request.node.nodeid:
        monkeypatch.setattr(
            "evoreplay.running.snapshots.embedding", lambda features: features[:, :2].float()
        )
