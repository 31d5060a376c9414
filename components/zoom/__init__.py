"""Zoom that moves several pictures together: JavaScript to put before a component's own."""

from pathlib import Path

JS = (Path(__file__).parent / "zoom.js").read_text(encoding="utf-8")
"""Source of the class `SharedZoom`."""

CSS = (Path(__file__).parent / "zoom.css").read_text(encoding="utf-8")
"""Styles of what it moves: `.zoomed` boxes, each with an `img` and a `.pointer`."""
