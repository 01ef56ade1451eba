"""Promises of every store of a table (`table.room.storage.Storage`): one suite for all stores."""
