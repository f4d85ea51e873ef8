"""Sweeps on a real Ray cluster of two nodes on the loopback of this machine."""

import io
import warnings

import pytest
from rich.console import Console

from evoreplay import Config, UserError
from evoreplay.running.events import read_events
from evoreplay.running.found import find_runs
from evoreplay.running.interruption import StopRequest
from evoreplay.sweeps import on_ray as module
from evoreplay.sweeps.board import Board
from evoreplay.sweeps.grid import make_grid
from evoreplay.sweeps.on_processes import Place
from evoreplay.sweeps.on_ray import on_ray
from evoreplay.sweeps.sweep import sweep

JOBS = make_grid([Config(method=m, seed=s) for m in ("er", "er+ld") for s in range(3)])


def test_without_the_package_the_message_says_how_to_get_it(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(module.importlib, "import_module", missing)
    with pytest.raises(UserError, match=r"pip install 'evoreplay\[ray\]'"):
        on_ray(Board.of(JOBS), Place(None), workers=1, stop=StopRequest())


@pytest.fixture
def cluster():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster_utils = pytest.importorskip("ray.cluster_utils")
        head = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
        cluster = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
        yield cluster
        import ray

        ray.shutdown()
        cluster.shutdown()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_node_that_dies_in_the_middle_costs_no_run_and_doubles_none(cluster, tmp_path):
    node = cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
    cluster.wait_for_nodes()
    board, killed = Board.of(JOBS), []

    def tick():
        if not killed and board.count("done") >= 1 and board.count("running") >= 1:
            killed.append(True)
            cluster.remove_node(node, allow_graceful=False)

    on_ray(
        board,
        Place(tmp_path / "ray"),
        workers=None,
        stop=StopRequest(),
        address=cluster.address,
        tick=tick,
    )
    assert killed
    assert board.count("done") == len(JOBS), board.in_state("failed")
    quiet = Console(file=io.StringIO())
    sweep(JOBS, Place(tmp_path / "processes"), quiet, workers=2)
    tables = [
        {f.path.name: f.result["accuracy_matrix"] for f in find_runs(tmp_path / name)}
        for name in ("ray", "processes")
    ]
    assert tables[0] == tables[1]
    assert len(tables[0]) == len(JOBS)
    for job in JOBS:
        events = read_events(tmp_path / "ray" / job.name / "events.jsonl")
        steps = [e["step"] for e in events if e["event"] == "step"]
        assert steps == sorted(set(steps))
        assert [e["event"] for e in events].count("finished") == 1
