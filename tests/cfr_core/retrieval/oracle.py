"""An oracle that ranks every gallery by Python's own sort, and tasks to try it on."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cfr_core.types import RetrievalTask


@dataclass(frozen=True)
class Expected:
    rows: np.ndarray
    first_hit_rank: np.ndarray
    first_hit_row: np.ndarray
    n_gallery: np.ndarray
    n_positives: np.ndarray
    average_precision: np.ndarray


def gallery_of(query: int, task: RetrievalTask) -> list[int]:
    """The definition, row by row."""

    def is_excluded(row: int) -> bool:
        codes = zip(task.exclusion_codes[query], task.exclusion_codes[row], strict=True)
        return row == query or any(ours == theirs != -1 for ours, theirs in codes)

    return [int(row) for row in task.gallery_rows if not is_excluded(row)]


def rank_all(vectors: np.ndarray, task: RetrievalTask, k: int) -> Expected:
    """Every gallery sorted by exact rational similarity, then by row number."""
    exact = [[Fraction(round(x * 2**26), 2**26) for x in row] for row in vectors.tolist()]
    rows, ranks, hit_rows, sizes, positives, precisions = [], [], [], [], [], []
    for query in task.query_rows:
        similarity = {
            row: sum(a * b for a, b in zip(exact[query], exact[row], strict=True))
            for row in gallery_of(query, task)
        }
        ranking = sorted(similarity, key=lambda row: (-similarity[row], row))
        hits = np.flatnonzero(task.identity_codes[ranking] == task.identity_codes[query]) + 1
        rows.append((ranking + [-1] * k)[:k])
        ranks.append(hits[0] if len(hits) else 0)
        hit_rows.append(ranking[hits[0] - 1] if len(hits) else -1)
        sizes.append(len(ranking))
        positives.append(len(hits))
        found = np.arange(1, len(hits) + 1)
        precisions.append(np.mean(found / hits) if len(hits) else np.nan)
    return Expected(
        np.array(rows, dtype=np.int64).reshape(-1, k),
        *(np.array(each) for each in (ranks, hit_rows, sizes, positives, precisions)),
    )


def unit(vectors: np.ndarray) -> np.ndarray:
    """Rows of unit length, float32."""
    doubles = vectors.astype(np.float64)
    return (doubles / np.linalg.norm(doubles, axis=1, keepdims=True)).astype(np.float32)


def leave_one_out(identity_codes: np.ndarray, *exclusion: np.ndarray) -> RetrievalTask:
    """Every row queries all the others."""
    everyone = np.arange(len(identity_codes))
    columns = np.array(exclusion, dtype=np.int64).reshape(len(exclusion), len(everyone)).T
    return RetrievalTask(identity_codes, everyone, everyone, columns)


@st.composite
def tasks(draw: st.DrawFn, max_rows: int = 24) -> tuple[np.ndarray, RetrievalTask]:
    """Unit vectors on a coarse lattice, so that ties abound, with a task of any shape."""
    n_rows = draw(st.integers(2, max_rows))
    n_columns = draw(st.integers(0, 3))
    lattice = draw(arrays(np.int8, (n_rows, draw(st.integers(1, 3))), elements=st.integers(-2, 2)))
    lattice[~lattice.any(axis=1), 0] = 1
    codes = draw(arrays(np.int64, n_rows, elements=st.integers(0, 4)))
    exclusion = draw(arrays(np.int64, (n_rows, n_columns), elements=st.integers(-1, 3)))
    if draw(st.booleans()):
        queries = gallery = np.arange(n_rows)
    else:
        queries, gallery = (
            np.flatnonzero(draw(arrays(np.bool_, n_rows, elements=st.booleans()))) for _ in range(2)
        )
    return unit(lattice), RetrievalTask(codes, queries, gallery, exclusion)


KINDS = ["normal", "after a ReLU", "one large component", "near each other"]


def vectors_of_kind(kind: str, dim: int) -> np.ndarray:
    """(40, dim) float32 unit vectors whose products round in different ways."""
    rng = np.random.default_rng(dim)
    vectors = rng.standard_normal((40, dim))
    if kind == "after a ReLU":
        vectors = np.maximum(vectors, 0) ** 2 + 0.01
    if kind == "one large component":
        vectors = 0.001 * vectors + np.eye(dim)[0]
    if kind == "near each other":
        vectors = 0.1 * vectors + rng.standard_normal(dim)
    return unit(vectors)
