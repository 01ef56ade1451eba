"""The server of a page: who may ask at all, and what an answer looks like."""
