import copy
import re

import numpy as np
import pytest
import torch
from torch import nn

import evoreplay as ev
from evoreplay.checks import same
from evoreplay.reports.figures.png import as_pictures
from shared.written_images import levels, table

NAME = re.compile(r"batch-(\d{8})_class-(\d{3})_slot-(\d{5})_(raw|evolved)\.png")


def learner_of(x, y, *, evolution=None, **options):
    torch.manual_seed(0)
    # smooth: with eight ReLU units an example may have no gradient at all, and not move
    model = nn.Sequential(nn.Flatten(), nn.Linear(x[0].numel(), 8), nn.Softplus(), nn.Linear(8, 3))
    learner = ev.ReplayLearner(
        model,
        torch.optim.SGD(model.parameters(), lr=0.1),
        memory=ev.ReservoirMemory(30),
        evolution=evolution,
        **options,
    )
    for start in range(0, len(x), 5):
        learner.observe(x[start : start + 5], y[start : start + 5])
    return learner


def examples(shape=(1, 6, 5), dtype=torch.uint8):
    generator = torch.Generator().manual_seed(0)
    x = torch.randint(256, (20, *shape), generator=generator)
    return x.to(dtype), torch.arange(20) % 3


FLOW = ev.Langevin(steps=3, rate=0.01)


def test_a_live_memory_is_written_raw_and_evolved_with_its_losses(tmp_path):
    x, y = examples()
    learner = learner_of(x, y, evolution=FLOW)
    exported = ev.export_memory(learner, tmp_path / "images")
    rows = table(tmp_path / "images")
    assert (exported.images, len(rows)) == (24, 12)
    files = {file.name for file in (tmp_path / "images").iterdir()}
    assert files == {"losses.csv"} | {row[kind] for row in rows for kind in ("raw", "evolved")}
    held = learner.memory.gather(torch.arange(len(learner.memory)))
    differences = []
    for row in rows:
        slot = int(row["slot"])
        batch, label, place, _ = NAME.fullmatch(row["raw"]).groups()
        assert (int(batch), int(label), int(place)) == (4, int(held.y[slot]), slot)
        assert (row["batch"], row["class"]) == ("4", str(int(held.y[slot])))
        raw = levels(tmp_path / "images" / row["raw"])
        assert np.array_equal(raw, held.x[slot, 0].numpy())
        differences.append(levels(tmp_path / "images" / row["evolved"]) - raw)
        logits = learner.logits(held.x[slot : slot + 1])
        expected = -logits.log_softmax(dim=1)[0, held.y[slot]]
        assert float(row["loss_before"]) == pytest.approx(float(expected), abs=1e-5)
        assert float(row["loss_after"]) != float(row["loss_before"])
    # noise of sqrt(2 * 0.01 * 3) in [-1, 1] is 31 of 255 levels; some are cut at the ends
    assert 20 < np.std(differences) < 40


def test_the_learner_does_not_notice_and_the_same_moment_gives_the_same_bytes(tmp_path):
    learner = learner_of(*examples(), evolution=FLOW)
    before, world = copy.deepcopy(learner.state_dict()), torch.get_rng_state()
    for name in ("one", "two"):
        ev.export_memory(learner, tmp_path / name)
    assert same(before, learner.state_dict())
    assert torch.equal(world, torch.get_rng_state())
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_slots_can_be_chosen_and_a_method_without_a_flow_has_raw_images_only(tmp_path):
    learner = learner_of(*examples())
    assert ev.export_memory(learner, tmp_path / "images", slots=[7, 3]).images == 2
    rows = table(tmp_path / "images")
    assert [row["slot"] for row in rows] == ["7", "3"]
    assert {row["evolved"] for row in rows} == {row["loss_after"] for row in rows} == {""}
    for bad in ([], [3, 3], [-1], [20]):
        with pytest.raises(ev.UserError, match="give different numbers from 0 to 19"):
            ev.export_memory(learner, tmp_path / "other", slots=bad)


def test_where_features_evolve_the_raw_images_have_both_losses(tmp_path):
    learner = learner_of(*examples(), evolution=FLOW, space="1")
    assert ev.export_memory(learner, tmp_path / "images").images == 12
    assert all(row["loss_after"] and not row["evolved"] for row in table(tmp_path / "images"))


def test_where_the_input_takes_a_step_beside_features_it_is_shown(tmp_path):
    learner = learner_of(*examples(), evolution=FLOW, space="1", input_rate=0.3)
    assert ev.export_memory(learner, tmp_path / "images").images == 24
    for row in table(tmp_path / "images"):
        raw, moved = (levels(tmp_path / "images" / row[name]) for name in ("raw", "evolved"))
        # bytes span a range of 2, and values beyond it are cut
        assert 0 < np.sqrt(np.mean((moved / 127.5 - raw / 127.5) ** 2)) <= 0.31


def test_sixty_four_numbers_are_a_picture_of_eight_by_eight(tmp_path):
    x, y = examples((64,))
    learner = learner_of(x / 16.0, y, evolution=FLOW)
    ev.export_memory(learner, tmp_path / "images", slots=[0])
    (row,) = table(tmp_path / "images")
    raw = levels(tmp_path / "images" / row["raw"])
    assert raw.shape == (8, 8)
    held = learner.memory.gather(torch.tensor([0])).x[0]
    share = (held - held.min()) / (held.max() - held.min())
    np.testing.assert_allclose(raw, (255 * share).reshape(8, 8).numpy(), atol=0.51)


@pytest.mark.parametrize(
    ("shape", "pictures"),
    [
        ((3, 4, 5), (3, 4, 5)),
        ((1, 4, 5), (1, 4, 5)),
        ((4, 5), (1, 4, 5)),
        ((16,), (1, 4, 4)),
        ((15,), None),
        ((4,), None),
        ((2, 4, 5), None),
        ((), None),
    ],
)
def test_what_can_be_looked_at(shape, pictures):
    found = as_pictures(np.zeros((7, *shape)))
    assert (None if found is None else found.shape) == (pictures and (7, *pictures))


def test_what_cannot_be_looked_at_is_refused_and_nothing_is_written(tmp_path):
    x, y = examples((17,))
    with pytest.raises(ev.UserError, match=r"examples of shape \(17,\) are not images"):
        ev.export_memory(learner_of(x, y), tmp_path / "images")
    words = torch.zeros(4, 9, dtype=torch.int16)
    model = nn.Sequential(nn.Embedding(9, 2), nn.Flatten(), nn.Linear(18, 2))
    parts = (model, torch.optim.SGD(model.parameters(), lr=0.1))
    reader = ev.ReplayLearner(
        *parts, memory=ev.ReservoirMemory(9), prepare=lambda tokens: tokens.long()
    )
    with pytest.raises(ev.UserError, match="the memory is empty"):
        ev.export_memory(reader, tmp_path / "images")
    reader.observe(words, torch.zeros(4, dtype=torch.int64))
    with pytest.raises(ev.UserError, match="are texts or codes, not images"):
        ev.export_memory(reader, tmp_path / "images")
    with pytest.raises(ev.UserError, match="a FineTuningLearner keeps no memory"):
        ev.export_memory(ev.FineTuningLearner(*parts), tmp_path / "images")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_anything_is_left_alone_and_an_empty_one_is_taken(tmp_path):
    learner = learner_of(*examples())
    (tmp_path / "empty").mkdir()
    ev.export_memory(learner, tmp_path / "empty")
    before = sorted(file.name for file in (tmp_path / "empty").iterdir())
    assert len(before) == 13
    with pytest.raises(ev.UserError, match=r"is not empty .* nothing was written"):
        ev.export_memory(learner, tmp_path / "empty")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ev.UserError, match="give another folder"):
        ev.export_memory(learner, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file"]
