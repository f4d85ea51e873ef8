import base64
import io
import re

from PIL import Image

from evoreplay.reports.memory_figures import Budget


def test_images_show_the_examples_with_their_losses(write_run, write_snapshot, outline_of):
    path = write_run("er+ld", 0)
    for step in (30, 60, 90):
        write_snapshot(path, step)
    found = outline_of()
    images = found.all("img")
    assert len(images) == 2 * 8 * 3
    data = base64.b64decode(images[0]["src"].partition(",")[2])
    assert Image.open(io.BytesIO(data)).size == (8, 8)
    assert images[0]["alt"] == "class 0, raw"
    assert found.text.count("0.25 → 0.75") == 24
    assert "after batch 60" in found.text


def test_large_images_stop_at_the_budget_and_the_page_says_so(
    write_run, write_snapshot, outline_of, monkeypatch
):
    monkeypatch.setattr("evoreplay.reports.page.Budget", lambda: Budget(40_000))
    for steps in (1, 2, 3):
        write_snapshot(write_run("er+ld", 0, steps=steps), size=32)
    found = outline_of()
    assert 16 <= len(found.all("img")) < 48
    assert re.search(r"flow\. [12] of 3 rows are shown\.", found.text)
