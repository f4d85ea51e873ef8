import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Decoded data go to one folder of this test session, never to the user's cache."""
    monkeypatch.setenv("EVOREPLAY_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
