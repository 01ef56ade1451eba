"""Listeners of a table beside plain TCP: a WebSocket, and proxies that name their clients."""
