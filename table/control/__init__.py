"""The socket by which a host acts on the own table, and the command `fairdeal table` behind it."""
