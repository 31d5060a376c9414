"""Synthetic datasets with known answers: painted animals in painted landscapes."""
