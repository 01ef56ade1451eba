"""What comes over a connection, or does not."""
