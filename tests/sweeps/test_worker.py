import io
import json
import os
import threading
import time

from evoreplay import Config
from evoreplay.running.config import as_dict
from evoreplay.running.protocol import resolved
from evoreplay.sweeps import worker


def test_a_worker_answers_each_line_with_progress_and_an_end(tmp_path, monkeypatch):
    config = as_dict(resolved(Config(method="fine-tuning", scale=0.05)))
    lines = [
        {"config": config, "out": str(tmp_path), "data": None, "threads": 1},
        {"config": config | {"lr": -1.0}, "out": str(tmp_path), "data": None, "threads": 1},
    ]
    read, write = os.pipe()
    answers = io.StringIO()

    def give():
        # the input ends only when all is answered: its end stops what is under way
        os.write(write, "".join(json.dumps(line) + "\n" for line in lines).encode())
        until = time.monotonic() + 120
        while answers.getvalue().count("status") < len(lines) and time.monotonic() < until:
            time.sleep(0.05)
        os.close(write)

    giving = threading.Thread(target=give)
    with os.fdopen(read) as source, monkeypatch.context() as patched:
        patched.setattr("sys.stdin", source)
        patched.setattr("sys.stdout", answers)
        patched.setattr("warnings.formatwarning", None)
        giving.start()
        worker.main()
        giving.join()
    said = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert said[0]["position"] == 0
    ends = [words for words in said if "status" in words]
    assert [words["status"] for words in ends] == ["done", "failed"]
    assert ends[0]["accuracy"] > 0
    assert "lr is -1.0" in ends[1]["reason"]
