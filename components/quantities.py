"""Durations, rates and sizes as people write them."""

_KB = 1000.0


def duration_words(seconds: float) -> str:
    """A duration to the two largest units that matter: "8 s", "2 min 10 s", "3 h 5 min"."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 600:
        return _two(whole, 60, "min", "s")
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return _two(minutes, 60, "h", "min")
    return _two(round(minutes / 60), 24, "d", "h")


def bytes_words(n_bytes: float) -> str:
    """A size to two or three digits: "5 kB", "18 MB", "1.2 GB"."""
    for unit in ("kB", "MB"):
        n_bytes /= _KB
        if n_bytes < 999.5:
            return f"{max(n_bytes, 1):.0f} {unit}"
    n_bytes /= _KB
    return f"{n_bytes:.1f} GB" if n_bytes < 99.5 else f"{n_bytes:,.0f} GB"


def count_words(done: int, total: int, unit: str) -> str:
    """How far something is: "320 of 860 images"; bytes as sizes; no total if it is 0."""
    if unit == "B":
        return f"{bytes_words(done)} of {bytes_words(total)}" if total else bytes_words(done)
    return f"{done:,} of {total:,} {unit}" if total else f"{done:,} {unit}"


def rate_words(rate: float, unit: str) -> str:
    """A speed: "118 images/s", "0.4 views/s", "3 MB/s"."""
    if unit == "B":
        return f"{bytes_words(rate)}/s"
    return f"{rate:,.0f} {unit}/s" if rate >= 10 else f"{rate:.1f} {unit}/s"


def _two(amount: int, ratio: int, large: str, small: str) -> str:
    whole, rest = divmod(amount, ratio)
    return f"{whole} {large} {rest} {small}" if rest else f"{whole} {large}"
