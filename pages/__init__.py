"""Screens: one script for each question, run by `pages/main.py`."""
