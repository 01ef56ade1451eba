"""The program of a tab. It runs in a worker, and is the same player as elsewhere, with the browser's
WebSocket as its line and a message port as the way to its page.
"""
