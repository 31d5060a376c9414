"""Encoders: weights, networks and engines by name, and the pipeline from photos to vectors.

Nothing heavy is imported here: `cards`, `status` and `weights` do without PyTorch, `encoder` and
`pipeline` need it.
"""
