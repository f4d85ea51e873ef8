import pytest

from evoreplay.errors import UserError, require, unknown


def test_an_unknown_name_comes_with_the_nearest_and_all_known_ones():
    message = str(unknown("method", "er+dl", ["er", "er+ld", "agem"]))
    assert message == "unknown method 'er+dl'; did you mean 'er+ld'? Known: agem, er, er+ld"
    assert str(unknown("key", "zzz", ["a"])) == "unknown key 'zzz'. Known: a"


def test_require_raises_only_when_it_must():
    require(True, "no")
    with pytest.raises(UserError, match="no"):
        require(False, "no")
