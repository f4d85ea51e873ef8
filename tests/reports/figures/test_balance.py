from evoreplay.reports.figures.balance import balance_chart, mean_balance
from shared.pictures import drawn, points_of


def test_layers_of_the_balance_are_stacked_up_to_what_the_memory_holds():
    balance = mean_balance([{5: [10, 0], 9: [5, 5]}, {5: [8, 0], 9: [5, 5], 12: [1, 1]}])
    assert balance == {5: [9, 0], 9: [5, 5]}
    root = drawn(balance_chart(balance, "d"))
    layers = [points_of(e) for e in root if e.attrib.get("class") == "layer edged"]
    assert len(layers) == 2
    assert layers[1][1][1] == 10  # the top of the chart: all ten
    assert layers[0][1][1] == layers[1][2][1]  # one ends where the next begins
    assert mean_balance([{}]) == mean_balance([{1: [1]}, {1: [1, 2]}]) == {}
