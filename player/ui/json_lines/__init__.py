"""A screen for programs: a line of JSON for each event, and choices as lines of JSON."""
