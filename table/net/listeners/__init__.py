"""Other ways in than a bare TCP connection: a WebSocket, and proxies that say for whom they
speak.
"""
