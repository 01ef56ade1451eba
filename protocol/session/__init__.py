"""The encrypted channel between two programs: the handshake Noise XX, and records."""
