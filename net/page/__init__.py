"""Page for browsers as files: the manifest of a folder, and answers to those who ask for its files."""
