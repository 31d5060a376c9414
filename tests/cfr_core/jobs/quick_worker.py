"""A worker that starts at once and does small work of known length: kinds for the tests."""

import sys
import time

from cfr_core.errors import InputError
from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.kind import Kind, Stored
from cfr_core.jobs.records import JobOrder, NewJob
from cfr_core.jobs.worker import main
from cfr_core.types import OnProgress, Progress

COMMAND = (sys.executable, "-m", "tests.cfr_core.jobs.quick_worker")


def count(n: int, *, label: str = "counting", pause_s: float = 0.0, key: str = "") -> NewJob:
    """A job that makes `n` files in the workspace, those that are not there, one after another."""
    return NewJob("count", key or label, label, {"n": n, "pause_s": pause_s})


def _count(folder: JobFolder, order: JobOrder, on_progress: OnProgress) -> dict[str, object]:
    made = []
    for step in range(order.spec["n"]):
        file = folder.workspace_root / "counted" / f"{order.label}-{step:04d}"
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            file.touch()
            made.append(step)
            time.sleep(order.spec["pause_s"])
        on_progress(Progress("counting", step + 1, order.spec["n"], "steps"))
    (folder.result_dir).mkdir()
    (folder.result_dir / "made.txt").write_text(str(len(made)))
    return {"made": len(made)}


def _sulk(*_: object) -> dict[str, object]:
    """Neither says nor hears anything."""
    time.sleep(600)
    return {}


def _refuse(*_: object) -> dict[str, object]:
    raise InputError("no photo is there; name another folder")


def _break(*_: object) -> dict[str, object]:
    raise ZeroDivisionError("a mistake in the program")


def _store_count(_: object, folder: JobFolder, order: JobOrder) -> Stored:
    made = int((folder.result_dir / "made.txt").read_text())
    follower = order.spec.get("then")
    then = () if follower is None else (count(1, label=follower),)
    return Stored(f"{made} made", {"made": made}, then)


def _cannot_store(*_: object) -> Stored:
    raise InputError("a dataset of this name is there")


QUICK = {
    "count": Kind(_count, _store_count),
    "sulk": Kind(_sulk, _store_count),
    "refuse": Kind(_refuse, _store_count),
    "break": Kind(_break, _store_count),
    "taken": Kind(_count, _cannot_store),
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], QUICK))
