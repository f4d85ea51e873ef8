import pytest

from evoreplay import Config, UserError
from evoreplay.running.directory import open_run_directory, read_result
from evoreplay.running.protocol import resolved


def test_a_directory_is_made_once_and_found_again(tmp_path):
    config = resolved(Config())
    first = open_run_directory(config, tmp_path)
    assert open_run_directory(config, tmp_path) == first
    assert (first.path / "config.yaml").exists()
    assert read_result(first.path) is None


def test_a_directory_of_another_config_is_refused_and_left_alone(tmp_path):
    config = resolved(Config())
    path = open_run_directory(config, tmp_path).path
    text = (path / "config.yaml").read_text().replace("steps: 5", "steps: 6")
    (path / "config.yaml").write_text(text)
    with pytest.raises(UserError, match="belongs to another config"):
        open_run_directory(config, tmp_path)
    assert (path / "config.yaml").read_text() == text


def test_a_directory_from_before_a_later_field_is_found_again(tmp_path):
    config = resolved(Config())
    path = open_run_directory(config, tmp_path).path
    lines = (path / "config.yaml").read_text().splitlines(keepends=True)
    (path / "config.yaml").write_text("".join(n for n in lines if not n.startswith("space:")))
    assert open_run_directory(config, tmp_path).path == path
    (path / "config.yaml").write_text("".join(lines).replace("space: input", "space: hidden"))
    with pytest.raises(UserError, match="belongs to another config"):
        open_run_directory(config, tmp_path)


@pytest.mark.parametrize("content", ["", "- 1", "a: ["])
def test_a_damaged_config_or_a_foreign_folder_is_refused(tmp_path, content):
    config = resolved(Config())
    path = open_run_directory(config, tmp_path).path
    (path / "config.yaml").write_text(content)
    with pytest.raises(UserError, match="belongs to another config"):
        open_run_directory(config, tmp_path)
    (path / "config.yaml").rename(path / "notes.txt")
    with pytest.raises(UserError, match="belongs to another config"):
        open_run_directory(config, tmp_path)


def test_an_output_path_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="cannot write to"):
        open_run_directory(resolved(Config()), tmp_path / "file")


@pytest.mark.parametrize("content", ["{", "[]"])
def test_a_damaged_result_is_not_taken_for_none(tmp_path, content):
    (tmp_path / "result.json").write_text(content)
    with pytest.raises(UserError, match="cannot be read"):
        read_result(tmp_path)
