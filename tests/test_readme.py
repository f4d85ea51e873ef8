"""README and docs: every block runs, parses or is read, and every link leads somewhere."""

import re
import shlex
from pathlib import Path

import pytest
import torch

import evoreplay
from evoreplay.cli import parsed
from evoreplay.commands.attack import Attack
from evoreplay.running import Config
from evoreplay.running.config import parse_settings, with_settings
from evoreplay.running.costs import relative_cost
from evoreplay.running.experiment_file import read_experiment
from evoreplay.running.methods import BASES, FLOWS, find_method
from evoreplay.running.protocol import protocol_of, resolved

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def blocks(language, page=ROOT / "README.md"):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), flags=re.DOTALL)


def from_pages(language):
    return [
        pytest.param(code, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, code in enumerate(blocks(language, page))
    ]


@pytest.mark.parametrize("code", from_pages("python"))
def test_every_python_block_of_the_readme_and_the_docs_runs(code, capsys):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        exec(compile(code, "README", "exec"), {"__name__": "example"})
    assert capsys.readouterr().out


@pytest.mark.parametrize("text", from_pages("yaml"))
def test_every_yaml_block_is_an_experiment_file(text, tmp_path):
    path = tmp_path / "experiment.yaml"
    path.write_text(text)
    assert read_experiment(path)


def test_the_experiment_file_of_the_readme_stands_for_18_runs(tmp_path):
    (text,) = blocks("yaml")
    path = tmp_path / "experiment.yaml"
    path.write_text(text)
    assert len(read_experiment(path)) == 18


def command_lines(page):
    """`evoreplay ...` in shell blocks, one a line, and in the running text."""
    for block in blocks("sh", page):
        joined = block.replace("\\\n", " ")
        yield from (line for line in joined.splitlines() if line.startswith("evoreplay "))
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    yield from (" ".join(text.split()) for text in re.findall(r"`(evoreplay\s[^`]+)`", prose))


COMMANDS = sorted({line for page in PAGES for line in command_lines(page)})


def check_command(line):
    """Parse it as the program does; then look at the names that it gives."""
    command = parsed(shlex.split(line, comments=True)[1:])
    command = getattr(command, "command", command)  # of evoreplay data, evoreplay runs
    dataset, method = getattr(command, "dataset", None), getattr(command, "method", None)
    if isinstance(dataset, str):
        protocol_of(dataset)
    if isinstance(method, str):
        find_method(method)
    with_settings(Config(), parse_settings(getattr(command, "set", ())))
    return command


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_of_the_readme_and_the_docs_is_understood(line, capsys):
    if len(line.split()) > 2:
        check_command(line)
        return
    # a command that is only named need not be whole
    with pytest.raises(SystemExit) as leaving:
        parsed([line.split()[1], "--help"])
    assert leaving.value.code == 0


@pytest.mark.parametrize(
    "line",
    [
        "evoreplay rnu --dataset digits",
        "evoreplay run --datasets digits",
        "evoreplay runs lst runs",
        "evoreplay run --set rat=0.02",
        "evoreplay run --method er+dl",
        "evoreplay run --dataset digts",
        "evoreplay bench --rounds few",
    ],
)
def test_a_command_that_is_wrong_would_be_noticed(line, capsys):
    with pytest.raises((SystemExit, evoreplay.UserError)):
        check_command(line)


def test_commands_are_found_in_blocks_and_in_the_text(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("`evoreplay a\nb`\n```sh\nevoreplay c \\\n --d\nother e\n```\n`evoreplays`\n")
    assert list(command_lines(page)) == ["evoreplay c   --d", "evoreplay a b"]
    assert isinstance(check_command("evoreplay attack runs  # a comment"), Attack)


def links(page):
    """What a page links to, outside of code."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
    return re.findall(r"\]\(([^)\s]+)\)", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pictures_and_files_that_a_page_names_exist(page):
    for link in links(page):
        if not link.startswith("https://"):
            name = link.partition("#")[0]
            assert (page.parent / name).exists(), link


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: str(page.relative_to(DOCS)))
def test_no_page_of_the_site_leads_out_of_its_folder(page):
    for link in links(page):
        inside = link.startswith("https://") or (page.parent / link).resolve().is_relative_to(DOCS)
        assert inside, link


def test_the_reference_has_every_public_name_once():
    named = re.findall(r"^::: evoreplay\.(\w+)$", (DOCS / "api.md").read_text(), flags=re.MULTILINE)
    own = [name for name in named if name in evoreplay.__all__]
    assert sorted(own) == sorted(evoreplay.__all__)


def rows_of(page, heading):
    """Cells of the table under a heading, or of the next one after it."""
    text = page.read_text().partition(heading)[2]
    lines = re.findall(r"^\| (`.*) \|$", text, flags=re.MULTILINE)
    return {cells[0]: cells[1:] for cells in (re.split(r" ?\| ", line) for line in lines)}


def test_the_table_of_methods_is_what_the_package_says():
    rows = rows_of(DOCS / "methods.md", "## By name")
    for method in BASES:
        what, options, passes, _, verified = rows[f"`{method.name}`"]
        cost = relative_cost(resolved(Config(dataset="cifar10", method=method.name)))
        assert what == method.summary
        assert options.split() == [f"`{name}`" for name in method.options]
        assert passes == f"{cost:.2f}"
        assert verified == method.verified


def test_the_table_of_flows_is_what_the_package_says():
    rows = rows_of(DOCS / "methods.md", "A flow is added to the name.")
    for suffix, flow in FLOWS.items():
        what, options, passes, _, verified = rows[f"`+{suffix}`"]
        configs = [
            resolved(
                Config(
                    dataset="cifar10",
                    method=f"er+{suffix}",
                    recipe="reference",
                    alignment=alignment,
                )
            )
            for alignment in (0.003, 0.0)
        ]
        costs = [f"{relative_cost(config):.2f}" for config in configs]
        assert what == flow.summary
        assert options.split() == [f"`{name}`" for name in flow.options]
        assert passes == (costs[0] if costs[0] == costs[1] else ", without ".join(costs))
        assert verified == flow.verified


def test_the_files_that_every_project_has_exist():
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"):
        assert (ROOT / name).exists()
