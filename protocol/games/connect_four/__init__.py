"""Connect Four: stones fall into columns, and four in line win."""
