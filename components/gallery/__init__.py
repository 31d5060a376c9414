"""Photos in a grid or in one line, for any number of rows: see `gallery`."""

from components.gallery.rows import GalleryRows, TileState
from components.gallery.view import GalleryResult, GalleryStyle, gallery

__all__ = ["GalleryResult", "GalleryRows", "GalleryStyle", "TileState", "gallery"]
