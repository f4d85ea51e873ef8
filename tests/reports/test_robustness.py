import json

from evoreplay.reports.collect import collect


def test_robustness_of_another_config_is_left_out_and_named(write_run, tmp_path):
    path = write_run("er", 0)
    (path / "robustness.json").write_text('{"config_hash": "other"}')
    found = collect(tmp_path)
    assert found.runs[0].robustness is None
    assert found.skipped[0].name == f"{path.name}/robustness.json"
    assert "another config" in found.skipped[0].reason


def test_robustness_may_have_any_of_its_parts(write_run, tmp_path):
    path = write_run("er", 0)
    own = {"config_hash": collect(tmp_path).runs[0].config_hash}
    (path / "robustness.json").write_text(json.dumps(own))
    assert collect(tmp_path).runs[0].robustness.pgd == {}
    own["pgd"] = {"norm": "linf", "steps": 20, "curve": [{"eps": 0.1, "accuracy": 0.25}]}
    own["cw"] = {"quick": {"steps": 50, "constant": 1.0, "accuracy": 0.5, "mean_l2": None}}
    own["along_stream"] = [{"batch": 10, "clean": 0.5, "eps": 0.1, "accuracy": 0.125}]
    (path / "robustness.json").write_text(json.dumps(own))
    found = collect(tmp_path).runs[0].robustness
    assert (found.pgd, found.pgd_settings) == ({0.1: 0.25}, "norm linf, steps 20")
    assert found.carlini_wagner["quick"].budget == "constant 1, steps 50"
    assert found.along_stream[0.1][10].accuracy == 0.125
