"""Making cards and selling them, at the command line."""
