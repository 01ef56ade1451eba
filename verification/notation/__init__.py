"""Parser and printer for protocols in a subset of Alice-and-Bob notation (docs/verification.md)."""
