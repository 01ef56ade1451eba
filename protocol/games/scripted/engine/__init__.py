"""Engine for rule files: the public state of a match, and its transitions."""
