"""One audit: benchmark rows, four views, embeddings, neighbours, evidence profile."""
