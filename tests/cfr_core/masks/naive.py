"""Slow and obvious counterparts of what is measured on masks."""

import numpy as np

SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))
CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def components(
    pixels: np.ndarray, steps: tuple[tuple[int, int], ...]
) -> list[set[tuple[int, int]]]:
    """Connected sets of True pixels, by flooding."""
    left = {(int(y), int(x)) for y, x in np.argwhere(pixels)}
    found = []
    while left:
        todo = [left.pop()]
        part = set(todo)
        while todo:
            y, x = todo.pop()
            for dy, dx in steps:
                neighbour = (y + dy, x + dx)
                if neighbour in left:
                    left.remove(neighbour)
                    part.add(neighbour)
                    todo.append(neighbour)
        found.append(part)
    return found


def parts_of(pixels: np.ndarray) -> list[set[tuple[int, int]]]:
    return components(pixels, SIDES + CORNERS)


def holes_of(pixels: np.ndarray) -> list[set[tuple[int, int]]]:
    """Sets of background pixels from which no path over sides leads to the picture's border."""
    height, width = pixels.shape
    return [
        part
        for part in components(~pixels, SIDES)
        if not any(y in (0, height - 1) or x in (0, width - 1) for y, x in part)
    ]
