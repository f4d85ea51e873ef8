import json
import re
from xml.etree import ElementTree

from evoreplay.reports.html import Html, element, joined
from evoreplay.reports.page import anchor, html_page
from evoreplay.reports.report import make_report
from shared.outline import Outline
from shared.report_pictures import words

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>&amp;'


def test_text_is_escaped_and_markup_is_not():
    assert element("p", "<b>", Html("<b></b>"), class_='a"b') == (
        '<p class="a&quot;b">&lt;b&gt;<b></b></p>'
    )
    assert joined("a&", None, Html("&amp;")) == "a&amp;&amp;"
    assert element("td", data_value=None, hidden=True, aria_label=3) == (
        '<td hidden aria-label="3"></td>'
    )
    assert element("meta", charset="utf-8") == '<meta charset="utf-8">'


def test_names_from_outside_are_text_on_the_page(write_run, outline_of, tmp_path):
    write_run("er", 0, changes={"subset": HOSTILE, "versions": {HOSTILE: HOSTILE}})
    write_run("er", 0, changes={"subset": HOSTILE}, model=HOSTILE)
    bad = tmp_path / "<img src=y>"
    bad.mkdir()
    (bad / "config.yaml").write_text("")
    found = outline_of()
    assert len(found.all("script")) == 1
    assert found.all("img") == []
    assert found.text.count("alert(1)") >= 4
    assert "<img src=y>" in found.text
    assert found.open == []


def test_the_page_needs_nothing_from_elsewhere(write_run, write_snapshot, outline_of, tmp_path):
    write_snapshot(write_run("er+ld", 0))
    text = html_page(make_report(tmp_path))
    assert "http:" not in text
    assert "https:" not in text
    assert "@import" not in text
    assert "url(" not in text
    found = Outline(text)
    for tag, attributes in found.elements:
        for name in ("src", "href"):
            value = attributes.get(name, "#")
            assert value.startswith(("#", "data:")), (tag, value)
    policy = [m["content"] for m in found.all("meta") if m.get("http-equiv")]
    assert policy[0].startswith("default-src 'none'")


def test_a_link_leads_to_each_section(write_run, outline_of):
    write_run("er", 0)
    write_run("er", 0, scale=0.5)
    found = outline_of()
    targets = {attributes["id"] for _, attributes in found.elements if "id" in attributes}
    links = [attributes["href"] for attributes in found.all("a")]
    assert [link.removeprefix("#") in targets for link in links] == [True, True]
    assert anchor("A b, <c>!") == "a-b-c"


def test_scale_and_subset_are_marked(write_run, outline_of):
    write_run("er", 0, scale=0.2, changes={"subset": "190 images of each class"})
    text = outline_of().text
    assert "scale 0.2 of the stream" in text
    assert "subset: 190 images of each class" in text


def test_what_was_skipped_is_named_with_how_many(write_run, outline_of, tmp_path):
    write_run("er", 0)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.yaml").write_text("")
    text = outline_of().text
    assert "Skipped: 2" in text
    assert "one : not finished: no result.json" in text


def test_a_win_needs_an_interval_without_zero(write_run, outline_of):
    for seed, evolved in enumerate((0.50, 0.70)):
        write_run("er", seed, 0.5)
        write_run("er+ld", seed, evolved)
    text = outline_of().text
    assert "no difference shown (to er, n = 2)" in text
    assert "higher than er" not in text


def test_every_row_has_its_command_hash_and_versions(write_run, outline_of):
    write_run("er", 4, changes={"config_hash": "0123abcd"})
    text = outline_of().text
    assert "evoreplay run --dataset digits --method er --seed 4 --device cpu" in text
    assert "Config hash by seed: 4: 0123abcd" in text
    assert "evoreplay 0.1.0, torch 2.13.0, threads 1" in text
    assert "does not resolve the command to the config hash" in text


def test_tables_can_be_sorted_by_every_column(write_run, outline_of):
    write_run("er", 0, 0.5)
    write_run("er+ld", 0, 0.25)
    found = outline_of()
    heads = [a for a in found.all("th") if a.get("scope") == "col" and "data-numeric" in a]
    assert len(found.all("button")) > len(heads) > 5
    values = [a["data-value"] for a in found.all("td") if "data-value" in a]
    assert {"50.0", "25.0"} <= set(values)


def test_charts_are_whole_svg_with_axes_titles_and_a_description(write_run, tmp_path):
    for seed, accuracy in enumerate((0.4, 0.6)):
        write_run("er", seed, accuracy)
        write_run("er+ld", seed, accuracy + 0.1)
    text = html_page(make_report(tmp_path))
    charts = re.findall(r"<svg viewBox.*?</svg>", text, flags=re.DOTALL)
    described = [chart for chart in charts if 'role="img"' in chart]
    assert len(described) >= 5
    for chart in described:
        root = ElementTree.fromstring(chart)
        assert root.attrib["aria-label"]
        titles = [e.text for e in root.iter("text") if e.attrib.get("class") == "title"]
        assert titles in (
            ["batch of the stream", "accuracy %"],
            ["batch of the stream", "examples in memory"],
            ["percentage points of final accuracy"],
        )


def test_older_runs_without_balance_or_pictures_leave_these_out(write_run, outline_of):
    write_run("er+ld", 0, changes={"memory_balance": None, "anytime_accuracy": []})
    text = outline_of().text
    for heading in ("Class balance", "Raw and evolved", "as the network sees it", "along the"):
        assert heading not in text


def test_a_row_whose_er_has_no_curve_is_drawn_alone(write_run, outline_of):
    write_run("er", 0, changes={"anytime_accuracy": []})
    write_run("er+ld", 0)
    text = outline_of().text
    assert "Accuracy along the stream: means over seeds." in text
    assert "er+ld, n = 1" in text


def test_robustness_is_drawn_where_there_is_any(write_run, outline_of):
    path = write_run("er", 0)
    result = json.loads((path / "result.json").read_text())
    curve = [{"eps": n / 255, "accuracy": 0.5 - n / 100} for n in range(3)]
    found = {
        "config_hash": result["config_hash"],
        "pgd": {"norm": "linf", "steps": 20, "curve": curve},
        "along_stream": [
            {"batch": b, "clean": 0.5, "eps": 4 / 255, "accuracy": 0.25} for b in (1, 2)
        ],
    }
    (path / "robustness.json").write_text(json.dumps(found))
    text = outline_of().text
    assert "Projected gradient attack: norm linf, steps 20" in text
    assert "Attacked along the stream, eps 4/255" in text
    assert "eps, in 1/255 of the pixel range" in text


def test_the_page_has_what_was_measured_of_memory_and_runs_from_before_have_neither(
    measured, write_run, tmp_path
):
    text = words(html_page(make_report(measured)))
    for heading in (
        "Is the memory learned by heart?",
        "What evolution does to the memory",
        "Distance of the memory to all past data",
    ):
        assert heading in text
    older = tmp_path / "older"
    write_run("er+ld", 5, out=older)
    text = words(html_page(make_report(older)))
    assert "by heart" not in text
    assert "past data" not in text
