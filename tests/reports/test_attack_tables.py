import json

from shared.report_tables import tables, texts


def test_attacks_have_tables_where_there_are_any(write_run, tmp_path):
    for seed, accuracy in ((0, 0.2), (1, 0.4)):
        path = write_run("gmed", seed, dataset="cifar10")
        curve = [{"eps": 0.0, "accuracy": 0.5}, {"eps": 2 / 255, "accuracy": accuracy}]
        budget = {"searches": 1, "constant": 1.0, "steps": 50, "rate": 0.01}
        outcome = {"accuracy": accuracy, "mean_l2": 0.5, "accuracy_at_half": 0.1}
        found = {
            "config_hash": json.loads((path / "result.json").read_text())["config_hash"],
            "pgd": {"steps": 20, "curve": curve},
            "cw": {"quick": budget | outcome},
        }
        (path / "robustness.json").write_text(json.dumps(found))
    found = tables(tmp_path)
    pgd, attacked = found["pgd"], found["carlini-wagner"]
    assert [c.title for c in pgd.columns[2:]] == ["eps 0/255", "eps 2/255"]
    assert texts(pgd)["gmed"] == ["2", "50.0 ± 0.0", "30.0 ± 14.1"]
    assert attacked.rows[0][1].detail == "searches 1, constant 1, steps 50, rate 0.01"
    assert texts(attacked)["gmed"][1:] == [
        *("2", "30.0 ± 14.1", "0.500 ± 0.000", "10.0 ± 0.0", "2.1 ± 0.1")
    ]
