import json

import pytest

from evoreplay import UserError
from evoreplay.reports.results import finished_run


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("final_accuracy", 1.5),
        ("final_accuracy", "high"),
        ("final_accuracy", None),
        ("final_accuracy", True),
        ("accuracy_matrix", [[2.0]]),
        ("accuracy_matrix", 7),
        ("anytime_accuracy", [{"batch": 1}]),
        ("anytime_accuracy", [3]),
        ("memory_balance", [{"batch": 1, "counts": None}]),
        ("versions", 3),
        ("config", []),
        ("config", {"seed": "zero"}),
        ("seed", 12),
        ("method", "mir"),
    ],
)
def test_a_result_with_values_that_cannot_be_is_refused(write_run, key, value):
    path = write_run("er", 1, changes={key: value})
    with pytest.raises(UserError, match=r"result.json is not that of a run"):
        finished_run(path.name, path)


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "3", "[" * 100_000, '{"config": NaN}', "\udcff"]
)
def test_any_text_in_place_of_a_result_is_refused(write_run, text):
    path = write_run("er", 1)
    (path / "result.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UserError, match=r"result.json is"):
        finished_run(path.name, path)


def test_older_runs_lack_keys_and_fields(write_run):
    path = write_run("er", 0)
    result = json.loads((path / "result.json").read_text())
    del result["memory_balance"], result["config"]["proximity"]
    (path / "result.json").write_text(json.dumps(result))
    run = finished_run(path.name, path)
    assert run.balance == {}
    assert run.config["proximity"] == 0
