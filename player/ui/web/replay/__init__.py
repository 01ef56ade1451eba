"""A log on a page: replayed from this machine, or as one file to be sent to anybody."""
