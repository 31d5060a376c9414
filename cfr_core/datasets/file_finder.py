"""Files that a source names: found exactly as named, or not at all; then the nearest names."""

import bisect
import difflib
import os
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

_MAX_OFFERED = 3
_MAX_SPELLING_SEARCHES = 1000
"""Names for which similar spellings are sought; each costs milliseconds."""

_N_BESIDE = 20
"""Similar spellings are sought among so many names before and after, by beginning and by end."""


@dataclass(frozen=True)
class _Folder:
    """Files of one folder: path by folded name, and the folded names in order, forth and back."""

    paths: dict[str, str]
    names: list[str]
    reversed_names: list[str]


class FileFinder:
    """Finds files by the names a source gives them, and offers others where there is none.

    A name is never replaced by a similar one: the same file name in two folders is two files.
    """

    def __init__(self, root: Path) -> None:
        """Look below a folder; it is listed only when a name is not found.

        Args:
            root: Folder that relative names start from.
        """
        self._root = root
        self._n_spelling_searches = 0

    def find(self, name: str) -> Path | None:
        """Absolute path of an existing file, or None.

        Args:
            name: Relative to the root or absolute; Windows' backslashes are read as slashes where
                no file has them in its name.
        """
        for spelling in (name, name.replace("\\", "/")):
            path = Path(os.path.normpath(self._root.absolute() / spelling))
            try:
                if path.is_file():
                    return path
            except (OSError, ValueError):
                # Too long for a path, or with a character that no path holds.
                return None
        return None

    def nearest(self, name: str) -> list[str]:
        """At most three existing files that could be meant, the likeliest first.

        These are, in this order: the name in other letter case, with another ending, in another
        folder, with both another ending and folder, and in a similar spelling in its folder.

        Args:
            name: A name that `find` does not know.
        """
        wanted = PurePosixPath(name.replace("\\", "/").strip())
        offers = dict.fromkeys(self._alike(wanted))
        if not offers:
            offers = dict.fromkeys(self._similar_spellings(wanted))
        return list(offers)[:_MAX_OFFERED]

    def _alike(self, wanted: PurePosixPath) -> Iterator[str]:
        same_stem = self._by_stem.get(_fold(wanted.stem), ())
        folder, file_name = _fold(str(wanted.parent)), _fold(wanted.name)
        in_folder = [path for path in same_stem if _fold(str(path.parent)) == folder]
        for paths in (in_folder, same_stem):
            yield from (str(path) for path in paths if _fold(path.name) == file_name)
            yield from map(str, in_folder)
        yield from map(str, same_stem)

    def _similar_spellings(self, wanted: PurePosixPath) -> Iterable[str]:
        folder = self._by_folder.get(_fold(str(wanted.parent)))
        if folder is None or self._n_spelling_searches >= _MAX_SPELLING_SEARCHES:
            return ()
        self._n_spelling_searches += 1
        name = _fold(wanted.name)
        beside = {*_beside(name, folder.names)}
        beside |= {end[::-1] for end in _beside(name[::-1], folder.reversed_names)}
        close = difflib.get_close_matches(name, sorted(beside), n=_MAX_OFFERED)
        return [folder.paths[file_name] for file_name in close]

    @cached_property
    def _paths(self) -> list[PurePosixPath]:
        return sorted(
            PurePosixPath(Path(folder, name).relative_to(self._root).as_posix())
            for folder, _, names in os.walk(self._root)
            for name in names
        )

    @cached_property
    def _by_stem(self) -> dict[str, list[PurePosixPath]]:
        by_stem: dict[str, list[PurePosixPath]] = defaultdict(list)
        for path in self._paths:
            by_stem[_fold(path.stem)].append(path)
        return by_stem

    @cached_property
    def _by_folder(self) -> dict[str, _Folder]:
        by_folder: dict[str, dict[str, str]] = defaultdict(dict)
        for path in self._paths:
            by_folder[_fold(str(path.parent))][_fold(path.name)] = str(path)
        return {
            folder: _Folder(paths, sorted(paths), sorted(name[::-1] for name in paths))
            for folder, paths in by_folder.items()
        }


def _beside(name: str, ordered: list[str]) -> list[str]:
    at = bisect.bisect(ordered, name)
    return ordered[max(at - _N_BESIDE, 0) : at + _N_BESIDE]


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
