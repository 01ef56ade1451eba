"""Reading of rule files: check of their declarations, and the built-in files."""
