import numpy as np
import pytest

import evoreplay as ev
from evoreplay.cli import main
from evoreplay.reports.snapshots import read_snapshot
from shared.written_images import levels, table


def test_the_command_writes_the_three_moments_of_a_run(tmp_path, capsys):
    config = ev.Config(method="er+ld", scale=0.1, memory_size=20)
    run_directory = ev.run(config, out=tmp_path / "runs").path
    assert main(["runs", "images", str(run_directory), "--out", str(tmp_path / "images")]) == 0
    rows = table(tmp_path / "images")
    snapshots = sorted((run_directory / "snapshots").iterdir())
    moments = [read_snapshot(file) for file in snapshots]
    assert f"{2 * len(rows)} images and losses.csv" in capsys.readouterr().out
    assert [int(row["batch"]) for row in rows] == [m.batch for m in moments for _ in m.evolved.raw]
    expected = [value for m in moments for value in m.evolved.loss_after]
    assert [float(row["loss_after"]) for row in rows] == expected
    last = levels(tmp_path / "images" / rows[-1]["raw"])
    stored = np.clip((moments[-1].evolved.raw[-1, 0] + 1) * 127.5, 0, 255)
    np.testing.assert_allclose(last, stored, atol=0.51)
    assert main(["runs", "images", str(run_directory), "--out", str(tmp_path / "images")]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_a_snapshot_without_evolved_images_gives_those_of_the_memory(
    write_run, write_snapshot, tmp_path, capsys
):
    path = write_run("er", out=tmp_path / "runs")
    write_snapshot(path, 30, leave_out=["shown", "raw", "evolved", "loss_before", "loss_after"])
    assert main(["runs", "images", str(path), "--out", str(tmp_path / "images")]) == 0
    rows = table(tmp_path / "images")
    assert [row["class"] for row in rows] == [str(n) for n in (0, 0, 1, 1, *range(2, 10))]
    assert {row["evolved"] for row in rows} == {""}


def test_damaged_snapshots_are_named_and_others_written(
    write_run, write_snapshot, tmp_path, capsys
):
    path = write_run("er+ld", out=tmp_path / "runs")
    for step in (10, 20, 30):
        file = write_snapshot(path, step, leave_out=["x", "raw"] if step == 20 else [])
        if step == 10:
            file.write_bytes(file.read_bytes()[:100])
    assert main(["runs", "images", str(path), "--out", str(tmp_path / "images")]) == 0
    output = capsys.readouterr().out
    assert "24 images" in output
    assert "skipped step-00000010.safetensors: cannot be read: it is damaged" in output
    assert "skipped step-00000020.safetensors: cannot be read: it is damaged" in output
    file.unlink()
    assert main(["runs", "images", str(path), "--out", str(tmp_path / "none")]) == 2
    assert "no snapshot of" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda path: path / "nowhere", "there is no run directory"),
        (lambda path: path.parent, "is not a run directory"),
        (lambda path: path, "has no snapshots"),
    ],
)
def test_what_is_no_run_with_snapshots_is_refused(write_run, tmp_path, capsys, prepare, words):
    path = write_run("fine-tuning", out=tmp_path / "runs")
    assert main(["runs", "images", str(prepare(path)), "--out", str(tmp_path / "images")]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "images").exists()
