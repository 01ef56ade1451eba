"""Connect Four: stones fall into columns, and four in a line win."""
