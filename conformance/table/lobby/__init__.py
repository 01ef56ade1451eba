"""Cases about a table outside a match, and around one."""
