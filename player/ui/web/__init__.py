"""A page in the browser as the screen: a server for this machine alone, and what it serves."""
