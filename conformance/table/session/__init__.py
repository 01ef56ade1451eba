"""Bytes, handshakes and records."""
