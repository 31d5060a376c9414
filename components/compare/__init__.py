"""Parts of the page that compares two runs of one dataset."""
