from shared.report_tables import tables, texts


def test_one_seed_says_that_it_has_no_interval(write_run, tmp_path):
    write_run("er", 0, 0.25)
    row = texts(tables(tmp_path)["results"])["er"]
    assert row[:4] == ["1", "25.0", "\N{EN DASH}", "one seed: no interval"]


def test_a_row_shows_n_mean_deviation_and_interval_each_in_its_column(write_run, tmp_path):
    for seed, accuracy in enumerate((0.30, 0.40, 0.50)):
        write_run("er", seed, accuracy)
    table = tables(tmp_path)["results"]
    titles = [column.title for column in table.columns]
    assert titles[1:5] == ["n (seeds)", "accuracy %: mean", "standard deviation", "95 % t-interval"]
    # t of 0.975 with two degrees of freedom is 4.3027
    half = 4.3027 * 10 / 3**0.5
    assert texts(table)["er"][:4] == ["3", "40.0", "10.0", f"[{40 - half:.1f}, {40 + half:.1f}]"]


def test_er_x2_has_a_column_only_where_it_is_a_control(write_run, tmp_path):
    for seed in (0, 1):
        write_run("er+ld", seed, 0.6, recipe="reference")
        write_run("er-x2", seed, 0.5)
    table = tables(tmp_path)["results"]
    place = [column.title.split(",")[0] for column in table.columns].index("difference to er-x2")
    row = next(row for row in table.rows if row[0].text.startswith("er+ld"))
    assert row[place].detail == "higher than er-x2 (n = 2)"


def test_a_varied_setting_has_a_table_with_the_papers_numbers(write_run, tmp_path):
    for size in (2000, 3000, 5000):
        for method in ("er", "er+ld"):
            write_run(method, 0, 0.1, dataset="cifar100", memory_size=size, recipe="paper")
    write_run("mir", 0, 0.1, dataset="cifar100")
    table = tables(tmp_path)["by-memory_size"]
    assert [c.title for c in table.columns[1:]] == [
        *("memory_size 2000", "memory_size 3000", "memory_size 5000")
    ]
    assert [row[0].text for row in table.rows] == ["er", "er+ld"]
    assert table.rows[1][2].detail == "n = 1; paper 17.0 ± 1.1"
    assert not {"by-steps", "by-rate", "by-alignment"} & set(tables(tmp_path))


def test_settings_that_vary_together_are_no_family(write_run, tmp_path):
    write_run("er+ld", 0, steps=1, rate=0.01)
    write_run("er+ld", 0, steps=5, rate=0.02)
    assert not {"by-steps", "by-rate"} & set(tables(tmp_path))


def test_cost_is_shown_beside_its_count_of_passes_and_the_paper(write_run, tmp_path):
    for seed in (0, 1):
        common = {"dataset": "cifar10", "alignment": 0.003, "recipe": "paper"}
        write_run("er", seed, **common, changes={"seconds_per_step": 0.1})
        write_run("er+svgd", seed, **common, changes={"seconds_per_step": 0.4})
    row = texts(tables(tmp_path)["cost"])["er+svgd"]
    assert row == ["2", "400.00 ± 0.00", "4.00", "[4.00, 4.00]", "3.17", "4.1"]


def test_er_alone_has_no_cost_to_relate(write_run, tmp_path):
    write_run("er", 0)
    assert "cost" not in tables(tmp_path)
