"""Interpreter of rule files: the tree compiled to closures, with a count of all steps."""
