from evoreplay.attacks import CarliniWagner, ProjectedGradient
from evoreplay.running.attack_chunks import Chunks

PGD, CW = ProjectedGradient(eps=0.1), CarliniWagner()
MODEL = {"model": "a", "examples": 4}


def test_what_was_found_is_there_again_by_attack(tmp_path):
    chunks = Chunks(tmp_path, MODEL)
    chunks.add(PGD, [0.1, None])
    chunks.add(PGD, [None])
    chunks.add(CW, [0.5])
    again = Chunks(tmp_path, MODEL)
    assert again.of(PGD) == [[0.1, None], [None]]
    assert again.of(CW) == [[0.5]]
    assert again.of(ProjectedGradient(eps=0.2)) == []


def test_what_is_finished_is_forgotten_and_the_file_goes_with_the_last(tmp_path):
    chunks = Chunks(tmp_path, MODEL)
    chunks.add(PGD, [0.1])
    chunks.add(CW, [0.5])
    chunks.forget(PGD)
    assert Chunks(tmp_path, MODEL).of(PGD) == []
    assert Chunks(tmp_path, MODEL).of(CW) == [[0.5]]
    chunks.forget(CW)
    assert not any(tmp_path.iterdir())


def test_another_model_or_a_damaged_file_begins_anew(tmp_path):
    Chunks(tmp_path, MODEL).add(PGD, [0.1])
    assert Chunks(tmp_path, {"model": "b", "examples": 4}).of(PGD) == []
    (tmp_path / "robustness.partial.json").write_text("[")
    assert Chunks(tmp_path, MODEL).of(PGD) == []
