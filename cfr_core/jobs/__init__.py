"""Long work in processes of their own: queued, watched, cancelled, resumed; state is files only."""
