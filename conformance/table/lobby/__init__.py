"""What is asked of a table outside and around a match."""
