"""Fingerprints: one short digest for everything that made a result."""

import hashlib
import json
from pathlib import Path

_CHUNK_BYTES = 1 << 20
# Made once: json.dumps would make one a call, which takes longer than the writing.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def fingerprint(**parts: object) -> str:
    """Digest of named JSON-like values; equal exactly when all values are equal.

    Args:
        parts: Values of str, int, float, bool, None, or lists, tuples and dicts of these.

    Returns:
        64 hexadecimal digits (SHA-256 of the canonical JSON).

    Raises:
        TypeError: if a value has no JSON form; nothing is stringified by guess.
    """
    return hashlib.sha256(_CANONICAL.encode(parts).encode("ascii")).hexdigest()


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes as 64 hexadecimal digits.

    Raises:
        OSError: if the file cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
