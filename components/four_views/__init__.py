"""One photo in all four views, with one zoom: see `four_views`."""

from components.four_views.photo import photo_at
from components.four_views.view import Shown, four_views, moved_to

__all__ = ["Shown", "four_views", "moved_to", "photo_at"]
