"""The published rates as they ship, against the formulas of CFR and SSI."""

from cfr_core.datasets.published import published_datasets
from cfr_core.datasets.published_results import published_results
from cfr_core.metrics.evidence import evidence_numbers
from cfr_core.types import View


def test_two_encoders_on_every_published_dataset() -> None:
    results = published_results()
    expected = {
        (dataset.name, encoder)
        for dataset in published_datasets()
        for encoder in ("MiewID", "MegaDescriptor-L-384")
    }
    assert len(results) == len(expected) == 68
    assert {(result.dataset, result.encoder) for result in results} == expected


def test_cfr_and_ssi_follow_from_the_rates() -> None:
    roles = {dataset.name: dataset.role for dataset in published_datasets()}
    for result in published_results():
        rates = {view: getattr(result, view.value) for view in View}
        numbers = evidence_numbers(rates, result.random, roles[result.dataset])
        # All are rounded to 0.001, and SSI divides one by another.
        assert abs(numbers["cfr"] - result.cfr) < 0.002
        assert abs(numbers["ssi"] - result.ssi) < 0.006
