"""Dates as people and cameras write them, one decision on day and month for a whole column.

Results are camera time without zone: a "Z" or "+02:00" is left out and the clock time kept, for
what counts in an audit is which photos one camera took on one day. Fractions of a second are cut.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

_TIME = (
    r"(?:(?:[T _]|,\s*)\s*(?P<hour>\d{1,2}):?(?P<minute>\d{2})(?::?(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?"
)
_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})(?P<sep>[-/.:])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})" + _TIME
)
_COMPACT = re.compile(r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})" + _TIME)
_COMPACT_TIME = re.compile(
    r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)"
)
_YEAR_LAST = re.compile(
    r"(?P<first>\d{1,2})(?P<sep>[-/.:])\s?(?P<other>\d{1,2})(?P=sep)\s?(?P<year>\d{4}|\d{2})"
    + _TIME
)
_NAMED = (
    re.compile(r"(?P<day>\d{1,2})\.?[ -]?(?P<name>[A-Za-z]{3,9})\.?,?[ -]?(?P<year>\d{4})" + _TIME),
    re.compile(r"(?P<name>[A-Za-z]{3,9})\.? (?P<day>\d{1,2}),? (?P<year>\d{4})" + _TIME),
)
_INCOMPLETE = re.compile(r"\d{4}([-/.:]\d{1,2})?|\d{1,2}[-/.]\d{4}|[A-Za-z]{3,9}\.? \d{4}")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_PLAIN_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?")
_ZONED = re.compile(r".*\d[T _].*\d\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})")
_N_MONTHS = 12
_NOON = 12
_FIRST_PHOTOS = np.datetime64("1900-01-01", "s")
# As in POSIX: two-digit years are 1969 to 2068.
_CENTURY_TURN = 69


@dataclass(frozen=True)
class DateColumn:
    """A column of dates as read.

    Attributes:
        captured_at: (N,) datetime64[s]; NaT where a cell is empty or could not be read.
        problems: Position -> why that cell was not read.
        remarks: What was decided for the column, in words.
        is_plain: True if every cell is ISO 8601 without zone, so that no text is lost.
    """

    captured_at: npt.NDArray[np.datetime64]
    problems: dict[int, str]
    remarks: tuple[str, ...]
    is_plain: bool


def parse_date(text: str, *, day_first: bool = True) -> datetime | None:
    """The date in one text, or None if there is none that is complete and exists.

    >>> parse_date("2019:07:14 08:30:00")
    datetime.datetime(2019, 7, 14, 8, 30)
    >>> parse_date("07/14/2019", day_first=False)
    datetime.datetime(2019, 7, 14, 0, 0)
    """
    text = text.strip()
    for pattern in (_YEAR_FIRST, _COMPACT_TIME, _COMPACT, *_NAMED):
        if match := pattern.fullmatch(text):
            return _assemble(match, match["day"], _month(match))
    if match := _YEAR_LAST.fullmatch(text):
        first, other = match["first"], match["other"]
        return _assemble(match, *((first, other) if day_first else (other, first)))
    return None


def parse_dates(cells: Sequence[str | None], *, now: datetime | None = None) -> DateColumn:
    """Read a column; day and month keep one order in all of it.

    Where only the year is at a known end ("05/07/2019"), any cell with a number above 12 in one
    place decides for the column. Without such a cell the day is taken first, as in most of the
    world, and a remark says so. Cells that contradict the order are not read.

    Args:
        cells: N texts as typed; None where the cell is empty.
        now: Dates after it are remarked; default: the clock.
    """
    day_first, order = _day_first([text for text in cells if text is not None])
    captured_at = np.full(len(cells), np.datetime64("NaT"), dtype="datetime64[s]")
    problems = {}
    for at, text in enumerate(cells):
        moment = None if text is None else parse_date(text, day_first=day_first)
        if moment is not None:
            captured_at[at] = np.datetime64(moment, "s")
        elif text is not None:
            problems[at] = _problem(text, day_first)
    remarks = (*order, *_zone_remark(cells), *_range_remarks(captured_at, now or datetime.now()))
    is_plain = all(text is None or _PLAIN_ISO.fullmatch(text) for text in cells)
    return DateColumn(captured_at, problems, remarks, is_plain and not problems)


def _month(match: re.Match[str]) -> str:
    """Number of the month of a match, from its digits or its English name; "0" if no such name."""
    if "month" in match.re.groupindex:
        return match["month"]
    name = match["name"].casefold()
    return str(next((n for n, full in enumerate(_MONTHS, 1) if full.startswith(name)), 0))


def _assemble(match: re.Match[str], day: str, month: str) -> datetime | None:
    parts = match.groupdict()
    year, hour = int(parts["year"]), int(parts["hour"] or 0)
    if len(parts["year"]) < len("2019"):
        # 19-07-14 and 08:30:15 are not dates that end in a year.
        if parts["sep"] not in "/.":
            return None
        year += 1900 if year >= _CENTURY_TURN else 2000
    if half := parts.get("half"):
        hour = hour % _NOON + (_NOON if half[0] in "Pp" else 0)
    minute, second = int(parts["minute"] or 0), int(parts["second"] or 0)
    try:
        return datetime(year, int(month), int(day), hour, minute, second)
    except ValueError:
        return None


def _day_first(cells: Iterable[str]) -> tuple[bool, tuple[str, ...]]:
    """Whether the day stands before the month in a column, and why."""
    matches = [match for text in cells if (match := _YEAR_LAST.fullmatch(text.strip()))]
    day = [m for m in matches if int(m["first"]) > _N_MONTHS >= int(m["other"])]
    month = [m for m in matches if int(m["other"]) > _N_MONTHS >= int(m["first"])]
    if day and month:
        first, n_others = ("day", len(month)) if len(day) >= len(month) else ("month", len(day))
        return first == "day", (
            f'both orders occur: "{day[0][0]}" has the day first, "{month[0][0]}" the month. Read '
            f"with the {first} first, as most cells that tell; {n_others} that contradict are not "
            "read",
        )
    if day or month:
        first, proof = ("day", day[0]) if day else ("month", month[0])
        return first == "day", (f'read with the {first} first, as "{proof[0]}" shows',)
    open_ones = [m for m in matches if m["first"] != m["other"]]
    if not open_ones:
        return True, ()
    example = parse_date(open_ones[0][0])
    shown = f', so that "{open_ones[0][0]}" is {example:%Y-%m-%d}' if example else ""
    return True, (f"no cell tells day from month: read with the day first{shown}",)


def _problem(text: str, day_first: bool) -> str:
    if parse_date(text, day_first=not day_first):
        return f"contradicts the column's order, {'day' if day_first else 'month'} first"
    if _INCOMPLETE.fullmatch(text.strip()):
        return "names no day"
    return "is no date that can be read"


def _zone_remark(cells: Sequence[str | None]) -> tuple[str, ...]:
    zoned = [text for text in cells if text is not None and _ZONED.fullmatch(text.strip())]
    if not zoned:
        return ()
    return (f'{len(zoned)} with a time zone, such as "{zoned[0]}": the clock time is kept as is',)


def _range_remarks(captured_at: npt.NDArray[np.datetime64], now: datetime) -> Iterable[str]:
    # A day of grace: the clock that wrote the table may be in another zone.
    limit = np.datetime64(now + timedelta(days=1), "s")
    n_dates = (~np.isnat(captured_at)).sum()
    for words, odd in (
        ("before 1900", captured_at < _FIRST_PHOTOS),
        ("in the future", captured_at > limit),
    ):
        if odd.any():
            yield f"{odd.sum()} of {n_dates} are {words}, such as {captured_at[odd][0]}"
