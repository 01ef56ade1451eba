"""A rule file as a tree: words, grammar, names."""
