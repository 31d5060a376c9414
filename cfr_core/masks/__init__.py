"""Masks of animals: COCO run lengths in and out, polygons, mask files."""
