"""Launching audits: what is asked, what it will take, and what came out."""
