"""The documentation site, built strictly, whole and in small broken pieces."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs", reason="mkdocs is not installed: pip install 'evoreplay[docs]'")
pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed")

ROOT = Path(__file__).parent.parent


def build(config, site):
    """`mkdocs build --strict`, as a process of its own."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    command += ["--config-file", str(config), "--site-dir", str(site)]
    surroundings = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=surroundings)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT / "mkdocs.yml", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_has_every_page(site):
    pages = {page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")}
    built = {page.relative_to(site).with_suffix(".md") for page in site.rglob("*.html")}
    assert built - {Path("404.md")} == pages
    assert not list(site.rglob("*.py"))


@pytest.mark.slow
def test_the_site_loads_nothing_from_the_network(site):
    loading = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=\"?(https?:|//)")
    for page in site.rglob("*.html"):
        assert not loading.search(page.read_text()), page
    for style in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:|//)", style.read_text()), style


@pytest.mark.slow
def test_the_code_beside_the_mathematics_is_that_of_the_package(site):
    text = re.sub(r"<[^>]+>", "", (site / "mathematics.html").read_text())
    source = (ROOT / "src/evoreplay/evolution/langevin.py").read_text()
    (line,) = (line.strip() for line in source.splitlines() if "energy_gradient(x)" in line)
    assert line in text


def small_site(folder, text, *, extra=None):
    """One page with the settings of the real site; `extra` is a page that no menu names."""
    docs = folder / "docs"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("*.md", "results"))
    (folder / "src").symlink_to(ROOT / "src")
    (docs / "index.md").write_text(text)
    if extra is not None:
        (docs / extra).write_text("# Another\n")
    config = folder / "mkdocs.yml"
    config.write_text(f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: docs\nnav: [index.md]\n")
    return config


def test_a_page_whose_links_are_whole_is_built(tmp_path):
    config = small_site(tmp_path, "# One\n\n[here](#one)\n")
    done = build(config, tmp_path / "site")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "index.html").exists()


def test_a_broken_link_anchor_or_picture_and_an_unlisted_page_fail_the_build(tmp_path):
    text = "# One\n\n[file](gone.md) [anchor](#two) [absolute](/one.md) ![picture](gone.png)\n"
    done = build(small_site(tmp_path, text, extra="unlisted.md"), tmp_path / "site")
    assert done.returncode != 0
    for words in ("gone.md", "#two", "/one.md", "gone.png", "unlisted.md"):
        assert words in done.stderr
    assert "Aborted with 5 warnings in strict mode" in done.stdout + done.stderr


@pytest.mark.slow
def test_a_name_that_the_code_does_not_have_fails_the_build(tmp_path):
    config = small_site(tmp_path, "# One\n\n::: evoreplay.UserError\n")
    done = build(config, tmp_path / "site")
    assert done.returncode == 0, done.stderr
    (tmp_path / "docs" / "index.md").write_text("# One\n\n::: evoreplay.UserErrors\n")
    done = build(config, tmp_path / "site")
    assert done.returncode != 0
    assert "evoreplay.UserErrors" in done.stderr


def test_the_build_never_leaves_out_its_warnings():
    # with --quiet mkdocs counts none, and a strict build passes whatever is broken
    (options,) = re.findall(r"/mkdocs build (.*)", (ROOT / "Makefile").read_text())
    assert options == "--strict"
