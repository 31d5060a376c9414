"""The report of an import, as lines to read and as JSON."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from cfr_core.datasets.records import Finding, ImportReport, Severity

_TITLES = {
    Severity.SET_ASIDE: "Set aside",
    Severity.NO_MASK: "Masks refused",
    Severity.CHANGED: "Used with a change",
    Severity.NOTE: "Worth knowing",
}


def report_lines(report: ImportReport, *, max_per_reason: int | None = None) -> list[str]:
    """The report as text: how many rows, then every finding by severity and reason.

    Args:
        report: Report of an import.
        max_per_reason: Findings written out of one reason; the others are counted. None: all.
    """
    lines = [
        f"{report.n_read} rows read: {report.n_used} used, {report.n_set_aside} set aside; "
        f"{report.n_masks} masks"
    ]
    for severity in Severity:
        counts = report.counts(severity)
        if counts:
            reasons = ", ".join(f"{count} {reason}" for reason, count in counts.items())
            lines.append(f"{_TITLES[severity]}: {reasons}")
    for severity in Severity:
        for reason in report.counts(severity):
            alike = [
                finding
                for finding in report.findings
                if finding.severity is severity and finding.reason == reason
            ]
            lines += ["", f"{_TITLES[severity]}: {reason}"]
            lines += _details(alike, max_per_reason)
    return lines


def report_json(report: ImportReport) -> dict[str, object]:
    """The report in JSON values: the numbers, the counts by severity and reason, all findings."""
    return {
        "n_read": report.n_read,
        "n_used": report.n_used,
        "n_set_aside": report.n_set_aside,
        "n_masks": report.n_masks,
        "counts": {str(severity): report.counts(severity) for severity in Severity},
        "findings": [
            asdict(finding) | {"severity": str(finding.severity)} for finding in report.findings
        ],
    }


def _details(findings: list[Finding], max_shown: int | None) -> Iterator[str]:
    shown = findings if max_shown is None else findings[:max_shown]
    yield from (f"  {_line(finding)}" for finding in shown)
    if len(shown) < len(findings):
        yield f"  ... and {len(findings) - len(shown)} more"


def _line(finding: Finding) -> str:
    place = finding.file
    if finding.source_row is not None:
        place = f"row {finding.source_row}, {finding.file}"
    return " ".join(_sentences((f"{place}: {finding.message}", finding.action)))


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        bare = " ".join(text.split())
        if bare:
            yield bare if bare.endswith((".", "!", "?")) else f"{bare}."
