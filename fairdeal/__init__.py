"""The command `fairdeal`: it starts all other programs, and does nothing itself."""
