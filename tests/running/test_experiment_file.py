import pytest

from evoreplay import UserError
from evoreplay.running.experiment_file import read_experiment


def read(tmp_path, text):
    path = tmp_path / "experiment.yaml"
    path.write_text(text)
    return read_experiment(path)


def test_a_file_is_the_product_of_its_lists(tmp_path):
    configs = read(
        tmp_path, "method: [er, er+ld]\nseeds: 3\nset: {rate: [0.1, 0.2], clamp: [-1, 1]}"
    )
    assert len(configs) == 2 * 3 * 2
    assert {c.seed for c in configs} == {0, 1, 2}
    assert {c.rate for c in configs} == {0.1, 0.2}
    assert {c.clamp for c in configs} == {(-1.0, 1.0)}
    assert len(set(configs)) == 12


def test_a_file_may_hold_several_grids_each_with_its_own_seeds(tmp_path):
    configs = read(tmp_path, "- {method: er, seeds: 2}\n- {method: er+ld, set: {rate: [0.1, 0.2]}}")
    found = [(c.method, c.seed, c.rate) for c in configs]
    assert found == [("er", 0, None), ("er", 1, None), ("er+ld", 0, 0.1), ("er+ld", 0, 0.2)]


def test_seeds_may_be_listed(tmp_path):
    assert [c.seed for c in read(tmp_path, "seeds: [7, 9]")] == [7, 9]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("methods: er", "did you mean 'method'"),
        ("set: {rat: 1}", "did you mean 'rate'"),
        ("seeds: 0", "seeds is 0"),
        ("seeds: [a]", "seeds is"),
        ("method: []", "grid is empty"),
        ("- 1", "holds no settings"),
        ("[]", "holds no settings"),
        ("- method: er\n- methods: er", "did you mean 'method'"),
        ("", "holds no settings"),
        ("a: [", r"is not YAML: .* \(line 1, column 5\)"),
        ("rate: 0.1", r"write it under set: set: \{rate: ...\}"),
        ("seed: 3", "did you mean 'seeds'"),
        ("set: 3", "set is 3"),
        ("set: {on: 1}", "unknown setting 'True'"),
        ("set: {seed: 3}", "seed stands under set"),
        ("dataset: !!python/object/apply:os.system [ls]", "is not YAML"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path, text, words):
    with pytest.raises(UserError, match=words):
        read(tmp_path, text)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match="cannot read"):
        read_experiment(tmp_path / "none.yaml")
