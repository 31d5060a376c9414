"""Ratios of our speed and memory to the alternatives', both sides measured in one run.

Each module `bench_*.py` has one function, `rows() -> Iterable[Row]`, that measures and yields a
row at a time. Seconds differ between machines and with their load; a ratio of two measurements
taken in turn, side by side, holds. `python -m benchmarks` prints all rows as one table.
"""
