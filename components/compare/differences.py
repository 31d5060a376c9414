"""What differs between two runs, as a plot, a table and a sentence."""

import math

import pandas as pd
import streamlit as st

from cfr_core.audit.comparison import Comparison, Difference
from components import cached, downloads
from components.compare.choices import Chosen
from components.compare.figure import NAMES, difference_plot
from components.evidence.tables import SHARE

_SIGNED = st.column_config.NumberColumn(format="%+.3f")


def differences(chosen: Chosen) -> Comparison:
    """Draw the numbers of both runs and their differences; returns the comparison."""
    found = cached.comparison(chosen.first.run_id, chosen.second.run_id, chosen.k)
    name = f"difference at {chosen.k} {chosen.second.run_id} less {chosen.first.run_id}"
    st.caption(_count_words(found))
    downloads.plot(
        difference_plot(found, chosen.k),
        name,
        key="differences, plot",
        alt="Difference of every number between the two runs, with 95 % intervals",
    )
    table = difference_table(found, chosen.k)
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            **dict.fromkeys(("First run", "Second run"), SHARE),
            **dict.fromkeys(("Difference", "95 % from", "95 % to"), _SIGNED),
        },
        alt="Numbers of both runs, their difference and its 95 % interval",
    )
    downloads.csv_button(table, name, key="differences, CSV")
    return found


def difference_table(found: Comparison, k: int) -> pd.DataFrame:
    """Every number in both runs, its difference with a 95 % interval, and what that says."""
    return pd.DataFrame(
        [
            {
                "Number": NAMES[difference.name].format(k=k),
                "First run": difference.first,
                "Second run": difference.second,
                "Difference": difference.change,
                "95 % from": difference.interval[0],
                "95 % to": difference.interval[1],
                "Reading": _reading(difference),
            }
            for difference in found.differences.values()
        ]
    )


def _reading(difference: Difference) -> str:
    if math.isnan(difference.change):
        return "undefined in one run"
    if math.isnan(difference.interval[0]):
        return "no interval"
    if not difference.is_clear:
        return "no clear difference"
    return "higher in the second" if difference.change > 0 else "lower in the second"


def _count_words(found: Comparison) -> str:
    words = (
        f"Over the {found.n_common:,} queries of both runs, of {found.n_identities:,} individuals. "
        "Intervals are of the difference, 95 %, over resamples of the individuals that both runs "
        "share."
    )
    for n, which, other in (
        (found.n_only_first, "first", "second"),
        (found.n_only_second, "second", "first"),
    ):
        if n:
            words += f" {n:,} queries of the {which} run are none of the {other}; left out here."
    return words
