"""Cases about connections: bytes, records, and broken lines."""
