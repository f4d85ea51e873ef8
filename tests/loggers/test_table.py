import pytest

from evoreplay import UserError
from evoreplay.loggers import table
from evoreplay.loggers.table import require_loggers


@pytest.mark.parametrize(
    ("names", "words"),
    [(("tensorbord",), "did you mean 'tensorboard'"), ("wandb", "give a tuple of names")],
)
def test_a_wrong_name_is_refused_with_the_nearest(names, words):
    with pytest.raises(UserError, match=words):
        require_loggers(names)


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setattr(table, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'evoreplay\[mlflow\]'"):
        require_loggers(("mlflow",))
