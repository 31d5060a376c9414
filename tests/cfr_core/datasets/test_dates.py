from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfr_core.datasets.dates import parse_date, parse_dates

NOW = datetime(2026, 1, 1)
DAY = datetime(2019, 7, 14)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2019-07-14", DAY),
        ("2019/07/14", DAY),
        ("2019.7.14", DAY),
        ("20190714", DAY),
        ("14/07/2019", DAY),
        ("14.07.2019", DAY),
        ("14. 7. 2019", DAY),
        ("14-07-2019", DAY),
        ("14:07:2019", DAY),  # a published dataset writes it so
        ("14.07.19", DAY),
        ("14.07.69", datetime(1969, 7, 14)),
        ("14 Jul 2019", DAY),
        ("14-Jul-2019", DAY),
        ("Jul 14, 2019", DAY),
        ("14. July 2019", DAY),
        ("2019:07:14 08:30:00", datetime(2019, 7, 14, 8, 30)),  # EXIF; pandas reads year 1
        ("2019-07-14T08:30:05", datetime(2019, 7, 14, 8, 30, 5)),
        ("2019-07-14 08:30", datetime(2019, 7, 14, 8, 30)),
        ("2019-07-14T08:30:05.999", datetime(2019, 7, 14, 8, 30, 5)),  # cut, not rounded
        ("2019-07-14T08:30:00Z", datetime(2019, 7, 14, 8, 30)),  # clock time kept
        ("2019-07-14T23:30:00+02:00", datetime(2019, 7, 14, 23, 30)),
        ("20190714_083000", datetime(2019, 7, 14, 8, 30)),
        ("20190714083000", datetime(2019, 7, 14, 8, 30)),
        ("14/07/2019 8:30 PM", datetime(2019, 7, 14, 20, 30)),
        ("14/07/2019 12:05 am", datetime(2019, 7, 14, 0, 5)),
        (" 2019-07-14 ", DAY),
        # No date, or no complete one: never a guess.
        ("2019", None),
        ("2019-07", None),
        ("July 2019", None),
        ("31/02/2019", None),
        ("2019-13-01", None),
        ("0000:00:00 00:00:00", None),  # a camera whose clock was never set
        ("19-07-14", None),
        ("08:30:15", None),
        ("43660", None),
        ("summer 2019", None),
        ("14 Foo 2019", None),
        ("", None),
    ],
)
def test_one_text_is_one_date_or_none(text, expected):
    assert parse_date(text) == expected


FORMATS = [
    *("%Y-%m-%d", "%Y/%m/%d", "%Y:%m:%d %H:%M:%S", "%Y%m%d", "%Y-%m-%dT%H:%M:%S", "%d.%m.%Y"),
    *("%d/%m/%Y %H:%M", "%d:%m:%Y", "%d %b %Y", "%d %B %Y %H:%M:%S", "%B %d, %Y", "%Y%m%d%H%M%S"),
    *("%d/%m/%Y %I:%M %p", "%d-%m-%Y, %H:%M"),
]


@settings(deadline=None)
@given(
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)).map(
        lambda t: t.replace(microsecond=0)
    ),
    st.sampled_from(FORMATS),
)
def test_every_format_is_read_as_strptime_reads_it(moment, form):
    text = moment.strftime(form)
    assert parse_date(text) == datetime.strptime(text, form)


@settings(deadline=None)
@given(
    st.lists(st.dates(datetime(1950, 1, 1).date(), datetime(2025, 1, 1).date()), max_size=8),
    st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m.%d.%Y"]),
)
def test_one_telling_cell_decides_day_and_month_for_the_whole_column(days, form):
    days = [*days, datetime(2019, 7, 14).date()]
    column = parse_dates([day.strftime(form) for day in days], now=NOW)
    assert column.captured_at.tolist() == [datetime(d.year, d.month, d.day) for d in days]
    assert not column.problems
    order = "day first" if form.startswith("%d") else "month first"
    assert order in column.remarks[0]


def test_without_a_telling_cell_the_day_is_first_and_the_remark_shows_it():
    column = parse_dates(["05/07/2019", None, "06/07/2019"], now=NOW)
    assert column.captured_at.tolist() == [datetime(2019, 7, 5), None, datetime(2019, 7, 6)]
    assert column.remarks == (
        'no cell tells day from month: read with the day first, so that "05/07/2019" is 2019-07-05',
    )


def test_cells_that_contradict_the_order_of_most_are_not_read():
    column = parse_dates(["14/07/2019", "15/07/2019", "07/16/2019", "05/07/2019"], now=NOW)
    assert column.problems == {2: "contradicts the column's order, day first"}
    assert np.isnat(column.captured_at[2])
    assert column.captured_at[3] == np.datetime64("2019-07-05")
    assert "both orders occur" in column.remarks[0]


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ("2019", "names no day"),
        ("2019-07", "names no day"),
        ("31/02/2019", "is no date that can be read"),
        ("unknown", "is no date that can be read"),
    ],
)
def test_a_cell_that_cannot_be_read_has_no_date_and_a_reason(cell, problem):
    column = parse_dates(["2019-07-14", cell], now=NOW)
    assert column.problems == {1: problem}
    assert np.isnat(column.captured_at[1])
    assert not column.is_plain


@pytest.mark.parametrize(
    ("cell", "remark"),
    [
        ("1066-10-14", "before 1900"),
        ("2026-01-03", "in the future"),
        ("2019-07-14T08:30:00Z", "with a time zone"),
        ("2019-07-14T08:30:00-0500", "with a time zone"),
    ],
)
def test_odd_dates_are_read_and_remarked(cell, remark):
    column = parse_dates([cell, "2019-07-14"], now=NOW)
    assert not np.isnat(column.captured_at[0])
    assert len(column.remarks) == 1
    assert remark in column.remarks[0]


def test_plain_iso_dates_need_no_remark_and_lose_nothing():
    column = parse_dates(["2019-07-14", "2019-07-14T08:30:00", None], now=NOW)
    assert column.is_plain
    assert column.remarks == ()
    assert column.captured_at.dtype == "datetime64[s]"
