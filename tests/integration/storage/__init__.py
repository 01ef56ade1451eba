"""Promises of every store of a table (`table.storage.interface.Storage`): one suite for all stores."""
