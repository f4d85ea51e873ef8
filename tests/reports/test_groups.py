from evoreplay.reports.collect import collect
from evoreplay.reports.groups import sections, shown_groups
from evoreplay.reports.report import make_report
from shared.report_tables import tables


def labels(folder):
    return [[g.label for g in section.groups] for section in sections(collect(folder).runs)]


def test_runs_that_differ_in_seed_alone_are_one_row(write_run, tmp_path):
    for seed in (2, 0, 1):
        write_run("er", seed)
    write_run("er+ld", 0)
    (section,) = sections(collect(tmp_path).runs)
    assert [(g.label, g.seeds) for g in section.groups] == [("er", [0, 1, 2]), ("er+ld", [0])]


def test_a_row_names_the_settings_in_which_rows_of_its_method_differ(write_run, tmp_path):
    write_run("er", 0)
    write_run("er+ld", 0)
    write_run("er+ld", 0, steps=1)
    write_run("er+noise", 0)
    assert labels(tmp_path) == [["er", "er+ld steps=1", "er+ld steps=5", "er+noise"]]


def test_rows_that_differ_in_many_settings_name_only_what_is_not_the_protocols(write_run, tmp_path):
    write_run("er+ld")
    write_run("er+ld", steps=2, rate=0.02, temperature=0.0)
    write_run("er+ld", recipe="paper")
    expected = ["er+ld", "er+ld recipe=paper", "er+ld steps=2 rate=0.02 temperature=0.0"]
    assert labels(tmp_path) == [expected]


def test_more_settings_than_a_label_can_hold_are_told_once_under_a_letter(write_run, tmp_path):
    many = {"steps": 2, "rate": 0.02, "temperature": 0.0, "step": "normalised"}
    for method in ("er+ld", "er+noise"):
        write_run(method)
        write_run(method, **many)
        write_run(method, **many, alignment=0.0)
    (section,) = sections(collect(tmp_path).runs)
    assert [group.label for group in section.groups] == [
        *("er+ld", "er+ld (A)", "er+ld (B)"),
        *("er+noise", "er+noise (A)", "er+noise (B)"),
    ]
    settings = "steps=2 rate=0.02 temperature=0.0 step=normalised"
    assert section.letters == {"A": settings, "B": f"{settings} alignment=0.0"}
    tables = {table.name: table for table in make_report(tmp_path).sections[0].tables}
    told = [f"(A): {settings}", f"(B): {settings} alignment=0.0"]
    assert tables["results"].notes[:2] == tables["along"].notes[:2] == told
    assert told[0] not in tables["by-alignment"].notes


def test_a_recipe_is_one_name_in_a_label_however_many_settings_it_decides(write_run, tmp_path):
    write_run("er", dataset="cifar10")
    for settings in ({}, {"input_rate": 0.0}, {"recipe": "paper"}, {"recipe": "reference"}):
        write_run("er+ld", dataset="cifar10", **settings)
    write_run("er+ld", dataset="cifar10", recipe="paper", statistics="all")
    assert labels(tmp_path) == [
        [
            "er",
            "er+ld",
            "er+ld input_rate=0.0",
            "er+ld recipe=paper",
            "er+ld recipe=paper statistics=all",
            "er+ld recipe=reference",
        ]
    ]


def test_what_a_named_recipe_decides_is_not_named_again(write_run, tmp_path):
    for settings in ({}, {"input_rate": 0.0}, {"recipe": "paper"}):
        write_run("er+ld", dataset="cifar10", **settings)
    assert labels(tmp_path) == [
        ["er+ld recipe=paper", "er+ld recipe=tuned", "er+ld recipe=tuned input_rate=0.0"]
    ]


def test_a_row_names_a_setting_that_is_not_the_protocols_and_not_that_of_all(write_run, tmp_path):
    write_run("er", 0)
    write_run("er+ld", 0, lr=0.05)
    assert labels(tmp_path) == [["er", "er+ld lr=0.05"]]


def test_a_precision_that_is_not_the_default_is_named_where_it_is(write_run, tmp_path):
    write_run("er", 0, precision="float32")
    write_run("mir", 0, precision="bfloat16")
    assert labels(tmp_path) == [["er", "mir precision=bfloat16"]]


def test_two_precisions_of_one_method_are_both_named(write_run, tmp_path):
    write_run("er", 0, precision="float32")
    write_run("er", 0, precision="bfloat16")
    assert labels(tmp_path) == [["er precision=bfloat16", "er precision=float32"]]


def test_er_keeps_its_name_beside_its_control_with_a_larger_replay_batch(write_run, tmp_path):
    write_run("er", 0)
    write_run("er", 0, replay_size=24)
    assert labels(tmp_path) == [["er", "er replay_size=24"]]


def test_what_all_rows_share_beside_the_protocol_is_said_once(write_run, tmp_path):
    write_run("er", 0, lr=0.05)
    write_run("er+ld", 0, lr=0.05)
    (section,) = sections(collect(tmp_path).runs)
    assert section.common == {"lr": 0.05}
    assert [g.label for g in section.groups] == ["er", "er+ld"]


def test_the_papers_recipe_of_all_rows_is_said_though_without_a_flow_it_is_the_usual_one(
    write_run, tmp_path
):
    write_run("er", recipe="paper")
    write_run("er+ld", recipe="paper")
    (section,) = sections(collect(tmp_path).runs)
    assert section.common == {"recipe": "paper"}
    table = tables(tmp_path)["results"]
    assert "All rows, beside the protocol: recipe=paper." in table.notes


def test_scale_and_subset_are_sections_of_their_own_and_marked(write_run, tmp_path):
    write_run("er", 0)
    write_run("er", 0, scale=0.2)
    write_run("er", 1, changes={"subset": "38 of 100 <classes>"})
    titles = [section.title for section in sections(collect(tmp_path).runs)]
    assert titles == [
        "digits",
        "digits, scale 0.2 of the stream",
        "digits, subset: 38 of 100 <classes>",
    ]


def test_a_method_and_dataset_of_another_version_are_rows_too(write_run, tmp_path):
    path = write_run("er", 0)
    text = (path / "result.json").read_text()
    (path / "result.json").write_text(text.replace('"er"', '"newer"').replace("digits", "words"))
    assert labels(tmp_path) == [["newer"]]


def test_rows_are_in_the_order_of_methods_each_followed_by_its_flows(write_run, tmp_path):
    for method in ("mir", "er+noise", "er-x2", "mir+ld", "er", "fine-tuning", "er+ld"):
        write_run(method, 0)
    expected = ["fine-tuning", "er", "er+ld", "er+noise", "er-x2", "mir", "mir+ld"]
    assert labels(tmp_path) == [expected]


def test_of_many_rows_every_method_is_shown_before_any_comes_twice(write_run, tmp_path):
    for steps in (1, 2, 3):
        write_run("er+ld", 0, steps=steps)
    for method in ("er", "mir", "gss"):
        write_run(method, 0)
    (section,) = sections(collect(tmp_path).runs)
    shown = [g.label for g in shown_groups(section.groups, 3)]
    assert shown == ["gss", "er", "er+ld steps=1"]
    shown = [g.label for g in shown_groups(section.groups, 5)]
    assert shown == ["gss", "er", "er+ld steps=1", "er+ld steps=2", "mir"]
