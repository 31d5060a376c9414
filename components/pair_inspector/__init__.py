"""Two photos side by side, large, in the same view and at the same zoom: see `pair_inspector`."""

from components.pair_inspector.view import Pair, pair_inspector

__all__ = ["Pair", "pair_inspector"]
