"""What seats post, and do not post."""
