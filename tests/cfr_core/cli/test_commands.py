"""The command line as scripts use it: forms, exit statuses, one clear line, JSON."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cfr_core.cli.app import app
from cfr_core.cli.entry import main
from cfr_core.demo.generate import generate
from cfr_core.demo.presets import preset

NUMBERS = {
    *("random", "full", "foreground", "shortcut", "silhouette"),
    *("cfr", "ssi", "ssi_context", "ssi_with_silhouette"),
}
TIMES = ("finished_at", "timing")


def cfr(*arguments: str, workspace: Path) -> subprocess.CompletedProcess[str]:
    """Run the real command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "cfr_core", "-w", str(workspace), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "200"},
    )


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four zebras with three photos each, one of them of an unknown animal, one without a mask."""
    out = tmp_path_factory.mktemp("photos") / "leaky"
    generate(replace(preset("leaky"), n_identities=4, n_photos=3), out)
    table = (out / "metadata.csv").read_text(encoding="utf-8").splitlines()
    header = table[0].split(",")
    unknown, unmasked = table[1].split(","), table[2].split(",")
    unknown[header.index("identity")] = "unknown"
    unmasked[header.index("mask_path")] = ""
    lines = [table[0], ",".join(unknown), ",".join(unmasked), *table[3:]]
    (out / "metadata.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return out


@pytest.fixture(scope="module")
def audited(photos: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the photos imported and audited once, and the audit's output."""
    workspace = tmp_path_factory.mktemp("workspace")
    done = cfr("import", str(photos), "--name", "zebras", "--role", "shortcut", workspace=workspace)
    assert done.returncode == 0, done.stderr
    json_file = workspace / "first.json"
    done = cfr(
        *("audit", "zebras", "-m", "effnet-lite0", "-k", "1", "-k", "5"),
        *("--json", str(json_file)),
        workspace=workspace,
    )
    assert done.returncode == 0, done.stderr
    (workspace / "first.txt").write_text(done.stdout, encoding="utf-8")
    return workspace


def test_the_audit_writes_the_profile_as_json(audited: Path) -> None:
    profile = json.loads((audited / "first.json").read_text(encoding="utf-8"))
    assert profile["dataset"] == "zebras"
    assert profile["encoder"] == "effnet-lite0"
    assert profile["silhouette_role"] == "shortcut"
    assert profile["n_rows"] == 12
    assert profile["left_out"] == {"unknown identity": 1, "no accepted mask": 1}
    # The first zebra is left with one photo: in the gallery, but with nothing to find.
    assert profile["n_benchmark_rows"] == 10
    assert profile["not_asked"] == {"no other photo of the individual in its gallery": 1}
    assert profile["n_queries"] == 9
    assert profile["n_identities"] == 3
    assert {"engine", "device", "versions", "protocol"} <= set(profile)
    assert set(profile["by_k"]) == {"1", "5"}
    for rates in profile["by_k"].values():
        assert set(rates) >= NUMBERS | {"region", "intervals"}
        assert set(rates["intervals"]) >= NUMBERS


def test_the_audit_prints_what_the_json_says(audited: Path) -> None:
    rates = json.loads((audited / "first.json").read_text(encoding="utf-8"))["by_k"]["1"]
    text = (audited / "first.txt").read_text(encoding="utf-8")
    for words, name in (("full image", "full"), ("shortcut only", "shortcut"), ("CFR", "cfr")):
        assert f"  {words:<20} {rates[name]:6.4f}" in text
    assert rates["region"] in text
    assert "1 rows: unknown identity" in text


def test_two_runs_agree_up_to_times_and_the_second_computes_nothing(audited: Path) -> None:
    again = audited / "again.json"
    arguments = ("audit", "zebras", "-m", "effnet-lite0", "-k", "1", "-k", "5")
    done = cfr(*arguments, "--json", str(again), workspace=audited)
    assert "all vectors were stored already" in done.stdout
    first, second = (
        json.loads((audited / name).read_text(encoding="utf-8"))
        for name in ("first.json", "again.json")
    )
    assert second["timing"]["n_embedded"] == 0
    for profile in (first, second):
        for name in TIMES:
            del profile[name]
    assert first == second


def test_json_on_standard_output_is_nothing_but_json(audited: Path) -> None:
    for command in (["datasets"], ["runs"], ["models"]):
        done = cfr(*command, "--json", "-", workspace=audited)
        assert isinstance(json.loads(done.stdout), list), command


def test_an_exported_dataset_can_be_imported(audited: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert cfr("export", "zebras", "--out", str(out), "--images", workspace=audited).returncode == 0
    done = cfr("import", str(out), "--name", "again", workspace=tmp_path / "other")
    assert done.returncode == 0, done.stderr
    assert "12 rows read: 12 used" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("audit", "zebra", "-m", "effnet-lite0"), "there: zebras"),  # misspelt dataset
        (("audit", "zebras", "-m", "effnet-light0"), "effnet-lite0"),  # misspelt encoder
        (("audit", "zebras", "-m", "effnet-lite0", "-k", "0"), "k must be 1 or more"),
        (("audit", "zebras", "-m", "effnet-lite0", "--exclude", "camra"), "perhaps camera"),
        (("audit", "zebras", "-m", "effnet-lite0", "--split", "a"), "QUERY:GALLERY"),
        (("audit", "zebras", "-m", "effnet-lite0", "--fill", "red"), "three numbers"),
        (("audit", "zebras", "-m", "effnet-lite0", "--fill", "1,2,x,3"), "three numbers"),
        (("import", "nowhere", "--name", "x"), "nowhere"),
        (("import", ".", "--name", "x", "--column", "identity"), "ROLE=COLUMN"),
        (("demo", "--preset", "leakey"), "leaky"),
        (("audit", "zebras", "-m", "effnet-lite0", "--device", "mps"), "mps"),  # no such GPU here
        (("export", "zebras", "--out", "."), "."),
    ],
)
def test_bad_input_is_one_clear_line_and_status_2(
    audited: Path,
    arguments: tuple[str, ...],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["cfr", "-w", str(audited), *arguments])
    with pytest.raises(SystemExit) as exit_status:
        main()
    line = capsys.readouterr().err.strip()
    assert exit_status.value.code == 2
    assert words in line
    assert "\n" not in line


def test_a_photo_that_changed_since_its_import_costs_itself_alone(
    photos: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "photos"
    shutil.copytree(photos, copy)
    workspace = tmp_path / "workspace"
    cfr("import", str(copy), "--name", "zebras", workspace=workspace)
    images = sorted((copy / "images").rglob("*.jpg"))
    shutil.copy(images[-1], images[-2])
    json_file = tmp_path / "out.json"
    done = cfr(
        *("audit", "zebras", "-m", "effnet-lite0", "--json", str(json_file)), workspace=workspace
    )
    assert done.returncode == 0, done.stderr
    profile = json.loads(json_file.read_text(encoding="utf-8"))
    assert profile["left_out"]["image cannot be read or has changed since the import"] == 1
    assert profile["n_benchmark_rows"] == 9


def test_every_command_has_help_with_an_example() -> None:
    runner = CliRunner()
    for name in ("demo", "import", "audit", "models", "datasets", "runs", "export"):
        result = runner.invoke(app, [name, "--help"])
        assert result.exit_code == 0, name
        assert "Example: cfr" in result.output, name
