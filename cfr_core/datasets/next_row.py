"""The next row of a list that fits some words."""

import numpy as np
import pandas as pd

from cfr_core.datasets.filters import RowFilter


def next_row(rows: pd.DataFrame, words: str, after: int) -> int | None:
    """Place of the next row of an individual of that name, or else with these words in its texts.

    Args:
        rows: As of `Workspace.browse`.
        words: Name of an individual, or words as of `RowFilter.search`; case does not count.
        after: Place to start behind; the search goes on from the first row after the last one.

    Returns:
        A place from 0, or None if no row fits.
    """
    is_of_name = rows["identity"].str.casefold() == words.strip().casefold()
    places = np.flatnonzero(is_of_name.fillna(value=False).to_numpy(bool))
    if not len(places):
        found = RowFilter(search=words).apply(rows)["row_id"]
        places = np.flatnonzero(rows["row_id"].isin(found).to_numpy(bool))
    if not len(places):
        return None
    behind = places[places > after]
    return int(behind[0] if len(behind) else places[0])
