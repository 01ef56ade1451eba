"""A rule file as it is read: what it declares, checked, and the files that come along."""
