from evoreplay.reports.html import Html, element, joined


def test_attributes_have_the_names_and_values_of_html():
    assert element("p", class_="note") == '<p class="note"></p>'
    assert element("td", data_value=1.5) == '<td data-value="1.5"></td>'
    assert element("th", data_numeric=True, scope=None, hidden=False) == "<th data-numeric></th>"
    assert element("a", "x", href='"><script>') == '<a href="&quot;&gt;&lt;script&gt;">x</a>'


def test_elements_without_an_end_have_none():
    assert element("br") == "<br>"
    assert element("img", src="data:,") == '<img src="data:,">'


def test_what_stands_between_is_markup_and_what_is_missing_is_left_out():
    assert joined("a<b", None, Html("<br>"), between="\n") == "a&lt;b\n<br>"
    assert isinstance(joined("a"), Html)
