"""Profile of a person: from a data folder into one file, and back."""
