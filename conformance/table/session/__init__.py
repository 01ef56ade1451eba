"""Cases about bytes, handshakes and records."""
