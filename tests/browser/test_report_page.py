"""The report in a real browser, on a page made from real runs."""

import base64
import json
import os
from pathlib import Path

import pytest

from evoreplay import Config, run
from evoreplay.reports.write import write_report

selenium = pytest.importorskip("selenium", reason="selenium is not installed")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

pytestmark = pytest.mark.browser

PHONE, DESK = 400, 1400

# Every element with text of its own: its colour and the first opaque background behind it.
TEXT_COLOURS = """
const parse = (text) => {
  const found = text.match(/[\\d.]+/g).map(Number);
  return { rgb: found.slice(0, 3), alpha: found.length > 3 ? found[3] : 1 };
};
const behind = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const colour = parse(getComputedStyle(e).backgroundColor);
    if (colour.alpha === 1) return colour.rgb;
  }
  return [255, 255, 255];
};
return [...document.body.querySelectorAll("*")].filter((e) =>
  !["SCRIPT", "STYLE"].includes(e.tagName) && e.getClientRects().length > 0 &&
  [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())
).map((e) => {
  const style = getComputedStyle(e);
  const colour = parse(e instanceof SVGElement ? style.fill : style.color);
  return { tag: e.tagName, text: e.textContent.slice(0, 40), size: parseFloat(style.fontSize),
           colour: colour.rgb, alpha: colour.alpha, background: behind(e) };
});
"""


def made_up_robustness(result):
    """As an attack would leave it: here only how it is drawn is looked at."""
    clean = result["final_accuracy"]
    budget = {"searches": 1, "constant": 1.0, "steps": 50, "rate": 0.01}
    return {
        "config_hash": result["config_hash"],
        "pgd": {
            "norm": "linf",
            "steps": 20,
            "step_size": 2 / 255,
            "restarts": 1,
            "curve": [{"eps": n / 255, "accuracy": clean * 0.8**n} for n in range(0, 11, 2)],
        },
        "cw": {"quick": budget | {"accuracy": clean / 9, "mean_l2": 0.4, "accuracy_at_half": 0.2}},
        "along_stream": [
            {"batch": 20 * n, "clean": clean, "eps": 4 / 255, "accuracy": clean / n}
            for n in (1, 2, 3)
        ],
    }


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for method in ("fine-tuning", "er", "er+noise", "er+ld"):
        for seed in (0, 1):
            run(Config(method=method, seed=seed, scale=0.3), out=folder)
    long_name = {"steps": 1, "proximity": 5.0, "write_back": True, "statistics": "all"}
    for seed in (0, 1):
        run(Config(method="er+ld", seed=seed, scale=0.3, **long_name), out=folder)
    for result in folder.glob("*-er*-s*/result.json"):
        attacked = made_up_robustness(json.loads(result.read_text()))
        result.with_name("robustness.json").write_text(json.dumps(attacked))
    (folder / "begun").mkdir()
    (folder / "begun" / "config.yaml").write_text("")
    return write_report(folder, folder / "report.html").path


@pytest.fixture
def open_page(browser, page):
    def open_at(width, *, dark=False):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(page.as_uri())
        browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
        return browser

    return open_at


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_console_stays_empty_and_the_page_does_not_scroll_sideways(open_page, width, tmp_path):
    browser = open_page(width)
    assert browser.get_log("browser") == []
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width
    folder = Path(os.environ.get("EVOREPLAY_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    height = browser.execute_script("return document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    options = {"captureBeyondViewport": True, "clip": clip}
    picture = browser.execute_cdp_cmd("Page.captureScreenshot", options)
    file = folder / f"report-{width}.png"
    file.write_bytes(base64.b64decode(picture["data"]))
    assert file.stat().st_size > 50_000


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_is_cut_off_but_what_scrolls_by_itself(open_page, width):
    beyond = open_page(width).execute_script(
        "return [...document.body.querySelectorAll('*')].filter(e => !e.closest('.scroll') &&"
        " e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"
    )
    assert beyond == []


def test_all_images_load(open_page):
    images = open_page(DESK).find_elements(By.TAG_NAME, "img")
    assert len(images) >= 2 * 8 * 3
    assert all(int(image.get_property("naturalWidth")) > 0 for image in images)


def column(browser, place):
    """The texts of a column of the first table, from top to bottom."""
    table = browser.find_element(By.CSS_SELECTOR, "table.data")
    rows = table.find_elements(By.CSS_SELECTOR, "tbody tr")
    return [row.find_elements(By.XPATH, "./*")[place].text for row in rows]


def test_a_table_is_sorted_by_a_click_and_by_the_keyboard(open_page):
    browser = open_page(DESK)
    head = browser.find_elements(By.CSS_SELECTOR, "table.data thead th")[2]
    before = [float(text) for text in column(browser, 2)]
    head.find_element(By.TAG_NAME, "button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert [float(text) for text in column(browser, 2)] == sorted(before)
    head.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "descending"
    assert [float(text) for text in column(browser, 2)] == sorted(before, reverse=True)
    other = browser.find_elements(By.CSS_SELECTOR, "table.data thead th")[0]
    other.find_element(By.TAG_NAME, "button").click()
    assert head.get_attribute("aria-sort") is None
    assert column(browser, 0) == sorted(column(browser, 0))


def test_what_has_no_number_is_sorted_last_in_both_directions(open_page):
    browser = open_page(DESK)
    head = browser.find_elements(By.CSS_SELECTOR, "table.data thead th")[7]
    for _ in range(2):
        head.find_element(By.TAG_NAME, "button").click()
        assert column(browser, 7)[0] != "\N{EN DASH}"
        assert column(browser, 7)[-1] == "\N{EN DASH}"


def test_the_first_stop_of_the_keyboard_is_seen(open_page):
    browser = open_page(DESK)
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    focused = browser.switch_to.active_element
    assert focused.tag_name == "a"
    assert focused.value_of_css_property("outline-style") != "none"


def luminance(rgb):
    parts = [c / 255 for c in rgb]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("dark", [False, True], ids=["by day", "by night"])
def test_all_text_passes_wcag_aa(open_page, dark):
    browser = open_page(DESK, dark=dark)
    found = browser.execute_script(TEXT_COLOURS)
    assert len(found) > 200
    assert (luminance(found[0]["background"]) < 0.1) == dark
    for text in found:
        assert text["alpha"] == 1, text
        bright, dim = sorted(
            (luminance(text["colour"]), luminance(text["background"])), reverse=True
        )
        assert (bright + 0.05) / (dim + 0.05) >= 4.5, text


def test_text_on_a_phone_is_large_enough_to_read(open_page):
    browser = open_page(PHONE)
    sizes = browser.execute_script(
        "return [...document.querySelectorAll('svg.chart')].map(s =>"
        " 11 * s.getBoundingClientRect().width / s.viewBox.baseVal.width)"
    )
    assert sizes
    assert min(sizes) >= 9


def test_on_paper_the_commands_are_there(open_page):
    browser = open_page(DESK)
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = false)")
    printed = browser.execute_cdp_cmd("Page.printToPDF", {})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")
    opened = browser.execute_script("return document.querySelector('details').open")
    assert opened
