"""What runs once in the server's process: its workspace and its HTTP routes beside the pages."""
