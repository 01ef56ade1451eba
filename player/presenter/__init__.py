"""The presenter: events of a match as lines, views and status for any screen."""
