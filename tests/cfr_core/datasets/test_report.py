import json

from cfr_core.datasets.records import Finding, ImportReport, Severity
from cfr_core.datasets.report import report_json, report_lines

REPORT = ImportReport(
    n_read=500,
    n_used=497,
    n_masks=10,
    findings=(
        Finding(Severity.NOTE, "dates", "d", None, "read with the day first", "Nothing."),
        Finding(Severity.SET_ASIDE, "missing file", "a.jpg", 3, "no such file", "Copy it."),
        Finding(Severity.SET_ASIDE, "empty file", "b.jpg", 5, "0 bytes", "Copy it again"),
        Finding(Severity.SET_ASIDE, "missing file", "c\n.jpg", 9, "no such file", "Mean d.jpg?"),
    ),
)


def test_the_numbers_come_first_then_each_finding_with_file_and_action():
    assert report_lines(REPORT) == [
        "500 rows read: 497 used, 3 set aside; 10 masks",
        "Set aside: 2 missing file, 1 empty file",
        "Worth knowing: 1 dates",
        "",
        "Set aside: missing file",
        "  row 3, a.jpg: no such file. Copy it.",
        "  row 9, c .jpg: no such file. Mean d.jpg?",
        "",
        "Set aside: empty file",
        "  row 5, b.jpg: 0 bytes. Copy it again.",
        "",
        "Worth knowing: dates",
        "  d: read with the day first. Nothing.",
    ]


def test_a_long_list_is_cut_with_its_length():
    lines = report_lines(REPORT, max_per_reason=1)
    assert "  ... and 1 more" in lines
    assert "c .jpg" not in "".join(lines)


def test_json_carries_every_finding():
    document = json.loads(json.dumps(report_json(REPORT)))
    assert document["n_set_aside"] == 3
    assert document["counts"]["set aside"] == {"missing file": 2, "empty file": 1}
    assert len(document["findings"]) == 4
    assert document["findings"][1] == {
        "severity": "set aside",
        "reason": "missing file",
        "file": "a.jpg",
        "source_row": 3,
        "message": "no such file",
        "action": "Copy it.",
    }
