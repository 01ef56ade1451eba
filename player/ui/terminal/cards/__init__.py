"""The command `fairdeal cards`, its answers, and trades at a terminal."""
