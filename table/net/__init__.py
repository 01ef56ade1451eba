"""The table's connections: who may come, what is queued, how fast they may ask."""
