"""Pieces of the user interface: plain values in and out, no files and no database."""
