"""The documentation site in a real browser, opened from the disk."""

import base64
import os
import subprocess
import sys
from pathlib import Path

import pytest

selenium = pytest.importorskip("selenium", reason="selenium is not installed")
pytest.importorskip("mkdocs", reason="mkdocs is not installed: pip install 'evoreplay[docs]'")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent.parent
PHONE, DESK = 400, 1400

# what is wider than the window, unless something around it scrolls by itself
STICKING_OUT = """
const scrolls = (e) => e && (
  ["auto", "scroll", "hidden"].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
return [...document.querySelectorAll(".md-content *")].filter((e) =>
  e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e.parentElement)
).map((e) => e.tagName + " " + e.textContent.slice(0, 40));
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    surroundings = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=surroundings)
    assert done.returncode == 0, done.stderr
    return folder


def open_at(browser, page, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(page.as_uri())


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_no_page_scrolls_sideways_or_complains(browser, site, width):
    # the page of a server that finds nothing has addresses of a server
    pages = sorted(page for page in site.rglob("*.html") if page.name != "404.html")
    for page in pages:
        open_at(browser, page, width)
        assert browser.get_log("browser") == [], page
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width, page
        assert browser.execute_script(STICKING_OUT) == [], page
        keep_picture(browser, f"site-{page.stem}-{width}")


def test_the_search_finds_a_page_without_a_server(browser, site):
    open_at(browser, site / "results" / "index.html", DESK)
    field = browser.find_element(By.CSS_SELECTOR, "input.md-search__input")
    browser.execute_script("arguments[0].focus()", field)
    field.send_keys("repulsion")

    def found(driver):
        links = driver.find_elements(By.CSS_SELECTOR, "a.md-search-result__link")
        return [link.get_attribute("href") for link in links]

    results = WebDriverWait(browser, 20).until(found)
    assert any("differences.html" in address for address in results)
    assert all(address.startswith("file:") for address in results)
    assert browser.get_log("browser") == []


def keep_picture(browser, name):
    """For a look, if $EVOREPLAY_SCREENSHOTS says where."""
    folder = os.environ.get("EVOREPLAY_SCREENSHOTS")
    if folder:
        picture = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))
