"""The workspace folder: datasets, masks, embeddings, runs, model weights and caches."""
