"""The pieces of the Evidence page, from all runs down to a pair of photos."""
