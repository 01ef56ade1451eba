"""Syntax of rule files: tokens, grammar, names."""
