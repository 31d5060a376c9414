"""The page that launches audits: empty, choices, estimates, the start, results, wrong addresses."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from cfr_core.audit.spec import AuditSpec
from cfr_core.datasets.records import Annotations
from cfr_core.errors import DeviceError
from cfr_core.jobs.machine import Machine
from cfr_core.jobs.queue import JobQueue
from components.retrieval import before
from server import workspace as served
from tests.made_dataset import made_dataset
from tests.made_run import made_run

CPU_ONLY = Machine("cpu", {"cpu": "Xeon, 8 cores"}, {"cuda": "no NVIDIA GPU is found"})
IDLE_GPU = replace(CPU_ONLY, gpu_seen="an NVIDIA GPU")
WITH_GPU = Machine("cuda", {"cpu": "Xeon, 8 cores", "cuda": "NVIDIA H200"})

Open = Callable[..., AppTest]


@pytest.fixture(autouse=True)
def on_machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[Machine | None], None]:
    """Say what the machine can compute on; no job is started."""
    monkeypatch.setattr(JobQueue, "_start", lambda *_: None)

    def set_machine(found: Machine | None) -> None:
        monkeypatch.setattr(before, "machine", lambda: found)

    set_machine(CPU_ONLY)
    return set_machine


@pytest.fixture
def discs(tmp_path: Path) -> None:
    """Two datasets; only the second has encounters, a split and a column of its own."""
    result = made_dataset(tmp_path / "photos")
    served.workspace().add_dataset(result)
    table = result.annotations.table.assign(
        encounter=pd.array(["one", "other"] * 6, "string"),
        split=pd.array(["query", "query", "database"] * 4, "string"),
        weather=pd.array(["Rain", "sun", None] * 4, "string"),
    )
    more = replace(result, card=replace(result.card, name="more"), annotations=Annotations(table))
    served.workspace().add_dataset(more)


def estimate(test: AppTest) -> pd.DataFrame:
    """The table of what audits will take; the first is that of the encoders."""
    return test.dataframe[1].value


def test_an_empty_workspace_shows_two_ways_on(open_page: Open) -> None:
    test = open_page("retrieval.py")
    assert "no dataset yet" in test.info[0].value
    assert not test.button


@pytest.mark.usefixtures("discs")
def test_what_an_audit_takes_is_told_before_it_starts(open_page: Open) -> None:
    test = open_page("retrieval.py", datasets="discs,more")
    table = estimate(test)
    assert table["Dataset"].tolist() == ["discs", "more"]
    assert table["Rows used"].tolist() == [9, 9]
    assert table["Left out"].tolist() == [3, 3]
    assert table["To embed"].tolist() == [36, 36]
    assert table["Time, about"].tolist() == ["not known yet"] * 2
    captions = [caption.value for caption in test.caption]
    assert "Left out of discs: 2 no accepted mask, 1 unknown identity." in captions
    assert test.button(key="launch").label == "Launch 2 audits on CPU (Xeon, 8 cores)"


@pytest.mark.usefixtures("discs")
def test_audits_are_queued_with_what_was_chosen(open_page: Open) -> None:
    test = open_page(
        "retrieval.py",
        datasets="more",
        encoders="effnet-lite0,dinov2-s-14",
        ks="1,20",
        exclude="date,encounter",
        device="cpu",
    )
    test.button(key="launch").click().run()
    jobs = served.jobs().jobs()
    assert [job.order.label for job in jobs] == ["more with effnet-lite0", "more with dinov2-s-14"]
    assert {job.order.spec["device"] for job in jobs} == {"cpu"}
    folder = served.workspace().runs_dir / jobs[0].order.spec["run_id"]
    spec = AuditSpec.from_json(pd.read_json(folder / "spec.json", typ="series")["spec"])
    assert (spec.ks, spec.exclude, spec.split) == ((1, 20), ("date", "encounter"), None)
    # The same again is not queued twice.
    test.button(key="launch").click().run()
    assert len(served.jobs().jobs()) == 2


@pytest.mark.usefixtures("discs")
def test_choices_go_into_the_address(open_page: Open) -> None:
    test = open_page("retrieval.py", dataset="more")
    test.multiselect(key="choice of encoders").set_value(["timm:resnet18"]).run()
    test.radio(key="choice of protocol").set_value("split").run()
    assert test.selectbox(key="choice of gallery").options == ["query"]
    assert test.query_params["encoders"] == "timm:resnet18"
    assert test.query_params["protocol"] == "split"
    assert estimate(test)["Download"].tolist() == ["not known yet"]


@pytest.mark.usefixtures("discs")
def test_only_what_all_datasets_know_is_offered(open_page: Open) -> None:
    offered = {
        datasets: open_page("retrieval.py", datasets=datasets).multiselect(key="choice of exclude")
        for datasets in ("discs", "more", "discs,more")
    }
    assert offered["discs"].options == ["file", "date"]
    # A column that no list foresees is offered, too.
    assert offered["more"].options == ["file", "encounter", "date", "split", "weather"]
    assert offered["discs,more"].options == offered["discs"].options
    test = open_page("retrieval.py", datasets="discs")
    assert test.radio(key="choice of protocol").options == ["Every photo queries all others"]


@pytest.mark.usefixtures("discs")
def test_rows_are_chosen_by_what_they_say(open_page: Open) -> None:
    test = open_page("retrieval.py", datasets="more")
    choice = test.multiselect(key="choice of where")
    assert {"weather=Rain", "weather=sun", "split=query", "identity=disc 0"} <= set(choice.options)
    # Typed as people type: another case, spaces, the value alone.
    choice.set_value(["Weather = rain", "query"]).run()
    assert test.query_params["where"] == "weather=Rain,split=query"
    assert "Leaves 4 of 12 rows of more." in [caption.value for caption in test.caption]
    assert estimate(test)["Rows used"].tolist() == [3]  # row 3 is of unknown identity
    test.button(key="launch").click().run()
    (job,) = served.jobs().jobs()
    folder = served.workspace().runs_dir / job.order.spec["run_id"]
    spec = AuditSpec.from_json(pd.read_json(folder / "spec.json", typ="series")["spec"])
    assert spec.where == (("weather", "Rain"), ("split", "query"))


@pytest.mark.usefixtures("discs")
def test_a_choice_of_rows_that_means_nothing_is_told(open_page: Open) -> None:
    test = open_page("retrieval.py", datasets="more", where="fog,weather=sun")
    assert "“fog”: write it as COLUMN=VALUE" in test.warning[0].value.replace("\\", "")
    assert test.multiselect(key="choice of where").value == ["weather=sun"]
    test = open_page("retrieval.py", datasets="more", where="weather=fog")
    assert "no row has that value; there are Rain, sun" in test.error[0].value.replace("\\", "")


@pytest.mark.usefixtures("discs")
def test_an_audit_that_cannot_be_asked_is_told_and_others_can(open_page: Open) -> None:
    absent = "file:effnet-lite0:/no/such.pth,file:resnet18:/no/such.pth"
    test = open_page("retrieval.py", datasets="discs", encoders=f"effnet-lite0,{absent}")
    assert len(test.error) == 2
    for error in test.error:
        assert "cannot be run" in error.value
        assert "/no/such.pth: no such weights file" in error.value.replace("\\", "")
    assert test.button(key="launch").label.startswith("Launch 1 audit")
    test = open_page("retrieval.py", datasets="")
    assert "Choose at least one dataset" in test.info[0].value


@pytest.mark.usefixtures("discs")
def test_weights_that_are_not_here_are_told(open_page: Open) -> None:
    test = open_page("retrieval.py", encoders="megadescriptor-t-224")
    said = test.info[0].value.replace("\\", "")
    assert "The weights of megadescriptor-t-224 are not on this machine" in said
    assert "checkpoints" in said
    assert estimate(test)["Download"].tolist() == ["110 MB"]


@pytest.mark.usefixtures("discs")
@pytest.mark.parametrize(
    ("found", "device", "is_loud"),
    [
        (CPU_ONLY, "auto", False),  # nobody expects a GPU
        (IDLE_GPU, "auto", True),
        (IDLE_GPU, "cpu", False),  # it was asked for
        (WITH_GPU, "auto", False),
    ],
)
def test_a_cpu_run_beside_an_idle_gpu_is_loud(
    open_page: Open, on_machine: Callable, found: Machine, device: str, is_loud: bool
) -> None:
    on_machine(found)
    test = open_page("retrieval.py", device=device)
    assert any("This will run on the CPU" in said.value for said in test.warning) == is_loud


@pytest.mark.usefixtures("discs")
def test_a_cpu_run_after_one_on_a_gpu_is_loud(
    open_page: Open, on_machine: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = made_run(served.workspace(), AuditSpec("discs", "effnet-lite0", n_resamples=100))
    on_gpu = replace(profile, device="cuda")
    monkeypatch.setattr(before.cached, "past_runs", lambda: (on_gpu,))
    test = open_page("retrieval.py")
    assert "The last run of discs with this encoder used a GPU" in test.warning[0].value
    on_machine(WITH_GPU)
    test.run()
    assert not test.warning
    assert "on GPU (NVIDIA H200)" in test.button(key="launch").label


@pytest.mark.usefixtures("discs")
def test_the_page_is_there_before_the_machine_is_known(
    open_page: Open, on_machine: Callable
) -> None:
    on_machine(None)
    test = open_page("retrieval.py")
    assert "Looking for a GPU" in [caption.value for caption in test.caption]
    assert test.subheader[-1].value == "Finished audits"


@pytest.mark.usefixtures("discs")
def test_a_machine_that_cannot_be_asked_is_told(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> Machine:
        raise DeviceError("PyTorch cannot be asked: libcudart is missing")

    monkeypatch.setattr(before, "machine", fail)
    test = open_page("retrieval.py")
    assert "libcudart is missing" in test.warning[0].value.replace("\\", "")


@pytest.mark.usefixtures("discs")
def test_finished_audits_have_their_numbers(open_page: Open) -> None:
    profile = made_run(
        served.workspace(), AuditSpec("discs", "effnet-lite0", ks=(1, 5), n_resamples=100)
    )
    test = open_page("retrieval.py", ks="1,5", k="5")
    line = test.dataframe[2].value.iloc[0]
    low, high = profile.by_k[5].intervals["ssi"]
    assert line["SSI"] == f"{profile.by_k[5].ssi:.3f} ({low:.3f} to {high:.3f})"
    assert (line["Queries"], line["Individuals"]) == (profile.n_queries, profile.n_identities)
    assert line["Region"] == profile.by_k[5].region.value
    assert line["Speed"] == "all were stored"
    test = open_page("retrieval.py", k="1")
    assert test.dataframe[2].value.iloc[0]["SSI"].startswith(f"{profile.by_k[1].ssi:.3f}")


@pytest.mark.usefixtures("discs")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("datasets", "disks"),
        ("encoders", "resnet"),
        ("ks", "0"),
        ("ks", "one"),
        ("device", "abacus"),
        ("device", "cuda"),  # not on this machine
        ("protocol", "split"),  # discs have no split
        ("exclude", "encounter"),  # discs have none
        ("k", "7"),
    ],
)
def test_a_wrong_address_is_told_in_words(open_page: Open, name: str, text: str) -> None:
    made_run(served.workspace(), AuditSpec("discs", "effnet-lite0", ks=(1, 5), n_resamples=100))
    test = open_page("retrieval.py", **{name: text})
    said = test.warning[0].value.replace("\\", "")
    assert f"The address says {name}='{text}', but that must be" in said
    assert name not in test.query_params
