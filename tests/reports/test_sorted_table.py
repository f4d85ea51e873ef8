from xml.etree import ElementTree

from evoreplay.reports.sorted_table import sorted_table
from evoreplay.reports.tables import Cell, Column, Table

TABLE = Table(
    "results",
    "Final accuracy",
    [Column("method", numeric=False), Column("accuracy")],
    [
        [Cell("er"), Cell("33.3", "n = 3", 33.3)],
        [Cell("er+ld <b>"), Cell("35.0", value=35.0, tone="higher")],
    ],
    ["A note & more."],
)


def drawn():
    return ElementTree.fromstring(
        f"<div>{sorted_table(TABLE)}</div>".replace(" data-numeric>", ">")
    )


def test_every_head_is_a_button_and_every_cell_has_its_value():
    page = drawn()
    assert [button.text for button in page.findall(".//th/button")] == ["method", "accuracy"]
    values = [cell.get("data-value") for cell in page.findall(".//tbody//td")]
    assert values == ["33.3", "35.0"]


def test_the_first_cell_names_its_row_and_words_stay_words():
    page = drawn()
    names = page.findall(".//tbody//th")
    assert [(name.text, name.get("scope")) for name in names] == [
        ("er", "row"),
        ("er+ld <b>", "row"),
    ]
    assert page.find(".//tbody//td[@class='higher']").text == "35.0"


def test_a_detail_is_not_torn_apart_and_notes_stand_below():
    page = drawn()
    assert page.find(".//small").text == "n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}3"
    assert [note.text for note in page.findall("./p")] == ["A note & more."]
