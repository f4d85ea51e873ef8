"""Sweeps on a stand-in for Ray and, slowly, on a real cluster of two nodes on this machine."""

import io
import json
import warnings
from types import SimpleNamespace

import pytest
from rich.console import Console

from evoreplay import Config, UserError
from evoreplay.running.directory import open_run_directory
from evoreplay.running.events import read_events
from evoreplay.running.found import find_runs
from evoreplay.running.interruption import StopRequest
from evoreplay.running.lock import locked
from evoreplay.sweeps import on_ray as module
from evoreplay.sweeps.attempt import Attempt
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


class StandIn:
    """As much of Ray as is used, in this process: a task runs when its result is asked for."""

    class exceptions:  # noqa: N801
        RayError = type("RayError", (Exception,), {})

    def __init__(self, *, dies=(), refuses=None):
        self.dies, self.refuses = dies, refuses
        self.options, self.cancelled, self.is_shut_down = None, [], False

    def is_initialized(self):
        return False

    def init(self, **options):
        if self.refuses is not None:
            raise self.refuses
        self.options = options

    def shutdown(self):
        self.is_shut_down = True

    def remote(self, **options):
        def task_of(function):
            def named(name):
                return SimpleNamespace(remote=lambda *given: (name, lambda: function(*given)))

            return SimpleNamespace(options=named)

        return task_of

    def wait(self, references, num_returns=1, timeout=None):
        return references[:num_returns], references[num_returns:]

    def get(self, reference):
        name, work = reference
        if name in self.dies:
            raise self.exceptions.RayError("the node is gone\nand more")
        return work()

    def cancel(self, reference):
        self.cancelled.append(reference[0])


QUICK = make_grid([Config(method="fine-tuning", scale=0.05, seed=seed) for seed in range(2)])


def test_every_run_is_a_task_and_how_it_ended_is_on_the_board(tmp_path, monkeypatch):
    ray = StandIn(dies={QUICK[1].name})
    monkeypatch.setattr(module, "_ray", lambda: ray)
    monkeypatch.setenv("EVOREPLAY_DATA", "somewhere")
    board = Board.of(QUICK)
    on_ray(board, Place(tmp_path), workers=3, stop=StopRequest())
    done, failed = (board.entries[job.name] for job in QUICK)
    assert (done.state, failed.state) == ("done", "failed")
    (result,) = (found.result for found in find_runs(tmp_path))
    assert done.accuracy == result["final_accuracy"]
    assert failed.reason == "RayError: the node is gone"
    assert ray.options["num_cpus"] == 3
    assert ray.options["runtime_env"]["env_vars"]["EVOREPLAY_DATA"] == "somewhere"
    assert ray.is_shut_down


def test_a_stop_request_cancels_the_tasks_and_leaves_the_runs_waiting(tmp_path, monkeypatch):
    ray, stop = StandIn(), StopRequest()
    monkeypatch.setattr(module, "_ray", lambda: ray)
    stop.signal_number = 15
    board = Board.of(QUICK)
    on_ray(board, Place(tmp_path), workers=1, stop=stop)
    assert ray.cancelled == [job.name for job in QUICK]
    assert board.count("waiting") == 2


def test_run_directories_tell_how_far_the_tasks_are(tmp_path, monkeypatch):
    ray = StandIn()
    monkeypatch.setattr(module, "_ray", lambda: ray)
    path = open_run_directory(QUICK[0].config, tmp_path).path
    events = [{"event": "began", "step": 0, "batches": 40}, {"event": "step", "step": 10}]
    (path / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    monkeypatch.setattr(module, "_outcome", lambda ray, reference: Attempt("stopped"))
    board, seen = Board.of(QUICK), []
    board.listener = lambda entry: seen.append((entry.job.name, entry.state))
    with locked(path):
        on_ray(board, Place(tmp_path), workers=1, stop=StopRequest())
    assert seen[0] == (QUICK[0].name, "running")
    assert (board.entries[QUICK[0].name].position, board.entries[QUICK[0].name].length) == (10, 40)


@pytest.mark.parametrize(
    ("address", "words"),
    [("there:1", "the Ray cluster at there:1: nobody"), (None, "Ray on this machine: nobody")],
)
@pytest.mark.parametrize("kind", [ConnectionError, Exception])
def test_a_cluster_that_cannot_be_reached_is_named(tmp_path, monkeypatch, address, words, kind):
    monkeypatch.setattr(module, "_ray", lambda: StandIn(refuses=kind("nobody")))
    with pytest.raises(UserError, match=f"cannot reach {words}"):
        on_ray(Board.of(QUICK), Place(tmp_path), workers=1, stop=StopRequest(), address=address)


@pytest.fixture
def cluster():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster_utils = pytest.importorskip("ray.cluster_utils", reason="ray is not installed")
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
